// A text as the words that the model counts, as far as the library's way can be followed here.

const LETTER = "\\p{L}\\p{Mn}\\p{Mc}\\u200c\\u200d";
const CYRILLIC = "\\u0400-\\u04ff";
const HAN = "\\u3005\\u3400-\\u4dbf\\u4e00-\\u9fff\\u{20000}-\\u{3ffff}";
const KATAKANA = "\\u30a1-\\u30fa\\u30fc\\u31f0-\\u31ff";
const HIRAGANA = "\\u3041-\\u309f";

// Three or more letters in a row, in Korean two; anything else but spaces and hyphens separates the words of a phrase.
const WORD = `(?<![${LETTER}\\p{N}_])(?:[${CYRILLIC}]+'[${CYRILLIC}]+|[${LETTER}]{3,}(?:'[${LETTER}]+)?|[\\uac00-\\ud7a3]{2,})(?![${LETTER}\\p{N}_])`;
const wordOrBreak = new RegExp(`(${WORD})|[${LETTER}\\p{N}_]+|[^\\s${LETTER}\\p{N}_-]`, "gu");
const eastAsian = new RegExp(`[${HAN}]+|[${KATAKANA}]+|[${HIRAGANA}]+`, "gu");

// Soft hyphens, the stretching of Arabic letters, and the vowel points that Arabic and Hebrew may omit.
const SILENT = /[\u00ad\u0640\u064b-\u065f\u0670\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]/g;
const APOSTROPHES = /[\u2019\u02bc\u2018\u201b\uff07](?=\p{L})/gu;

const cleanText = (text) => text.replace(SILENT, "").normalize("NFKC").replace(APOSTROPHES, "'").replace(/[\ufe00-\ufe0f]/g, ".");

// The words of a text in order, null where two are not neighbours.
function tokensOf(text, { how, lowercase, whole }) {
  const clean = cleanText(text);
  const written = lowercase ? clean.toLowerCase().replaceAll("i\u0307", "i") : clean;
  if (how === "runs") return written.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const kept = new Set(whole);
  const found = how === "pairs" ? pairsOf(written) : [];
  const rest = how === "pairs" ? written.replace(eastAsian, " ") : written;
  for (const [, word] of rest.matchAll(wordOrBreak)) found.push(...(word === undefined ? [null] : partsOf(word, kept)));
  return found;
}

// A word with an apostrophe, kept if it is listed or Cyrillic, else its parts of three or more letters.
function partsOf(word, kept) {
  if (!word.includes("'") || kept.has(word.toLowerCase()) || /^[\u0400-\u04ff]/.test(word)) return [word];
  return word.split("'").filter((part) => part.length >= 3);
}

// Chinese and Japanese as all pairs of characters; katakana whole, hiragana not at all.
function pairsOf(text) {
  return [...text.matchAll(eastAsian)].flatMap(([run]) => {
    const letters = [...run];
    if (/^[\u3041-\u309f]/.test(run)) return [];
    if (/^[\u30a1-\u31ff]/.test(run) || letters.length <= 2) return [run];
    return letters.slice(1).map((letter, i) => letters[i] + letter);
  });
}

// How often each word of the vocabulary is in a text, by its number, and how many words there are in all.
function countsOf(text) {
  const { tokens: rules } = data.dating;
  const numbers = vocabularyNumbers();
  const tokens = tokensOf(text, rules).map((token) => (token === null ? null : (lemmasOfForms().get(token) ?? token)));
  const counts = new Map();
  let known = 0;
  for (let i = 0; i < tokens.length; i++) {
    const pair = rules.phrases && tokens[i] && tokens[i + 1] ? numbers.get(`${tokens[i]}_${tokens[i + 1]}`) : undefined;
    const v = pair ?? numbers.get(tokens[i]);
    if (v !== undefined) counts.set(v, (counts.get(v) ?? 0) + 1);
    known += pair !== undefined ? 2 : v !== undefined ? 1 : 0;
    if (pair !== undefined) i++;
  }
  return { counts, known, words: tokens.filter((token) => token !== null).length };
}

function vocabularyNumbers() {
  if (!unpacked.has("numbers of words")) unpacked.set("numbers of words", new Map(data.vocabulary.map((word, v) => [word, v])));
  return unpacked.get("numbers of words");
}

// Lemmas of the forms that are in the documents that can be searched.
function lemmasOfForms() {
  if (!unpacked.has("lemmas")) unpacked.set("lemmas", new Map(data.dating.tokens.lemmatised && archive ? archive.lemmas.map(([n, lemma]) => [archive.dictionary[n].toLowerCase(), lemma]) : []));
  return unpacked.get("lemmas");
}
