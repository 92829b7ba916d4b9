// The documents that can be searched: texts as numbers of a dictionary's entries, unpacked when first asked for.

const archive = data.search; // null if no document can be searched
const SPACED = 1; // a word
const ALONE = 2; // a character of a script without spaces
const unspaced = archive ? new RegExp(`[${archive.unspaced}]`, "u") : null;
const wordPattern = archive ? new RegExp(`[${archive.unspaced}]|(?:(?![${archive.unspaced}])[\\p{L}\\p{N}])+`, "gu") : null;

// texts, words : arrays of numbers for each document;  kinds : of the entries;  numbers : of the entries with a key
function stored() {
  if (!unpacked.has("documents")) unpacked.set("documents", unpackDocuments());
  return unpacked.get("documents");
}

function unpackDocuments() {
  const numberOf = numbersOfLetters();
  const read = (lines) => (lines ? lines.map((line) => readNumbers(line, numberOf)) : null);
  const words = read(archive.words);
  for (const line of words) for (let i = 1; i < line.length; i++) line[i] += line[i - 1];
  const dates = archive.dates.flatMap(([date, n]) => Array(n).fill(date));
  return { texts: read(archive.texts), words, counts: read(archive.counts), dates, kinds: kindsOfEntries(), numbers: numbersOfKeys() };
}

// The number that each character of the file stands for.
function numbersOfLetters() {
  const numberOf = new Uint32Array(0x110000);
  let n = 0;
  for (const [first, last] of archive.letters) for (let code = first; code <= last; code++) numberOf[code] = n++;
  return numberOf;
}

function readNumbers(line, numberOf) {
  const found = new Uint32Array(line.length);
  let n = 0;
  for (let i = 0; i < line.length; i++) {
    let code = line.charCodeAt(i);
    if (code >= 0xd800 && code < 0xdc00) code = line.codePointAt(i++);
    found[n++] = numberOf[code];
  }
  return found.subarray(0, n);
}

function kindsOfEntries() {
  return Uint8Array.from(archive.dictionary, (entry) => (unspaced.test(entry) ? ALONE : /[\p{L}\p{N}]/u.test(entry) ? SPACED : 0));
}

function numbersOfKeys() {
  const numbers = new Map();
  const add = (key, n) => (numbers.has(key) ? numbers.get(key).push(n) : numbers.set(key, [n]));
  archive.dictionary.forEach((entry, n) => add(keyOf(entry), n));
  for (const [n, lemma] of archive.lemmas) add(keyOf(lemma), n);
  return numbers;
}

// Words as they are compared: in lower case, without accents.
function folded(text) {
  if (/^[\x20-\x7e]*$/.test(text)) return text.toLowerCase();
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

const wordsIn = (text) => text.normalize("NFC").match(wordPattern) ?? [];
const keyOf = (text) => wordsIn(text).map(folded).join(" ") || folded(text);

// The text of a document as it is kept, and where each of its pieces starts and ends in it.
function textOf(d) {
  const { texts, kinds } = stored();
  const ends = new Uint32Array(texts[d].length);
  const starts = new Uint32Array(texts[d].length);
  let text = "";
  texts[d].forEach((n, i) => {
    if (i && kinds[n] === SPACED && kinds[texts[d][i - 1]] === SPACED) text += " ";
    starts[i] = text.length;
    text += archive.dictionary[n];
    ends[i] = text.length;
  });
  return { text, starts, ends };
}
