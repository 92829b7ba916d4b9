// Which documents hold all words of a query, best first.

const SATURATION = 1.2; // k₁ and b of Okapi BM25
const LENGTHS = 0.75;
const WEIGHED = 100; // terms whose weights are kept
const weighed = new Map();

// The terms of a query: words, or several in quotes that follow each other; each with masks over the dictionary.
function termsOf(query) {
  const typed = [...query.matchAll(/"([^"]*)"|[^\s"]+/g)].map((match) => match[1] ?? match[0]).filter((text) => text.trim());
  return [...new Map(typed.map((text) => [keyOf(text), text])).values()].map((text) => ({ text, masks: masksOf(text) }));
}

// For each word of a term, which entries of the dictionary are that word; without texts the entries are whole terms.
function masksOf(text) {
  const words = wordsIn(text).map(folded);
  const keys = archive.texts && words.length ? words : [keyOf(text)];
  return keys.map((key) => {
    const mask = new Uint8Array(archive.dictionary.length);
    for (const n of stored().numbers.get(key) ?? []) mask[n] = 1;
    return mask;
  });
}

// Where in a text the words of a term follow each other from piece i on: the place of the last one, −1 if they do not.
function endOfTerm(text, i, masks) {
  const { kinds } = stored();
  let at = i;
  for (let w = 1; w < masks.length; w++) {
    do at++;
    while (at < text.length && !kinds[text[at]]);
    if (at >= text.length || !masks[w][text[at]]) return -1;
  }
  return at;
}

function timesIn(d, masks) {
  const { texts, words, counts } = stored();
  const [first] = masks;
  const text = texts ? texts[d] : [];
  let n = 0;
  for (let i = 0; i < text.length; i++) if (first[text[i]] && endOfTerm(text, i, masks) >= 0) n++;
  if (masks.length === 1) for (let i = 0; i < words[d].length; i++) if (first[words[d][i]]) n += counts ? counts[d][i] : 1;
  return n;
}

const lengthOf = (d) => (stored().texts?.[d].length ?? 0) + stored().words[d].length;

// How much each document has of a term, 0 if it does not hold it (Okapi BM25); kept for the next query.
//   log(1 + (N − n + ½) / (n + ½)) · f (k₁ + 1) / (f + k₁ (1 − b + b length / average))
// f : how often the term is in the document;  n : documents that hold it, of all N
function weightsOf({ text, masks }) {
  const key = keyOf(text);
  if (!weighed.has(key)) {
    if (weighed.size >= WEIGHED) weighed.delete(weighed.keys().next().value);
    const often = Float64Array.from(archive.names, (_, d) => timesIn(d, masks));
    const lengths = Float64Array.from(archive.names, (_, d) => lengthOf(d));
    const N = often.length;
    const n = often.reduce((sum, f) => sum + (f > 0), 0);
    const average = lengths.reduce((sum, length) => sum + length, 0) / N || 1;
    const rarity = Math.log(1 + (N - n + 0.5) / (n + 0.5));
    weighed.set(key, often.map((f, d) => (rarity * f * (SATURATION + 1)) / (f + SATURATION * (1 - LENGTHS + (LENGTHS * lengths[d]) / average) || 1)));
  }
  return weighed.get(key);
}

// A document's share of a topic in percent, 0 if it is not one of its main topics.
function shareIn(d, k) {
  const topics = archive.topics[d];
  for (let i = 0; i < topics.length; i += 2) if (topics[i] === k) return topics[i + 1];
  return 0;
}

// Numbers of the documents of a window of time and a topic (null for any) that hold all terms, the best first.
// Without terms, the highest share of the topic is the best. Equal ones are in order of time.
function rankedDocuments({ terms, topic, from, to }) {
  const first = from ? archive.starts[from] : 0;
  const end = to < LAST ? archive.ends[to] : archive.names.length;
  const weights = terms.map(weightsOf);
  const score = (d) => (terms.length ? weights.reduce((sum, weight) => sum + weight[d], 0) : topic === null ? 0 : shareIn(d, topic));
  const found = [];
  for (let d = first; d < end; d++) {
    if ((topic === null || shareIn(d, topic)) && weights.every((weight) => weight[d] > 0)) found.push([score(d), d]);
  }
  return found.sort((a, b) => b[0] - a[0] || a[1] - b[1]).map(([, d]) => d);
}
