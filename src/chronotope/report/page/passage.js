// The passage of a document that has most of the words looked for.

const PASSAGE = 420; // characters
const COUNTED = 12; // words shown of a document without its text

// Pieces of the passage, every second one a word to mark.
function passageOf(d, terms) {
  if (!archive.texts) return countedWords(d, terms);
  const { text, starts, ends } = textOf(d);
  const spans = spansOf(d, terms).map(([i, last, term]) => ({ from: starts[i], to: ends[last], term }));
  const [start, end] = wholeWords(text, bestStart(spans));
  const parts = [];
  let at = start;
  for (const { from, to } of spans) {
    if (from < at || to > end) continue;
    parts.push(text.slice(at, from), text.slice(from, to));
    at = to;
  }
  parts.push(text.slice(at, end));
  if (start > 0) parts[0] = `… ${parts[0]}`;
  if (end < text.length || stored().words[d].length) parts.push(`${parts.pop()} …`);
  return parts;
}

// First and last piece of everything found in a text, in order, with the number of its term.
function spansOf(d, terms) {
  const text = stored().texts[d];
  const spans = [];
  for (let i = 0; i < text.length; i++) {
    const term = terms.findIndex(({ masks }) => masks[0][text[i]] && endOfTerm(text, i, masks) >= 0);
    if (term >= 0) spans.push([i, endOfTerm(text, i, terms[term].masks), term]);
  }
  return spans;
}

// Where a passage starts that has as many different terms as possible, and of these the most words.
function bestStart(spans) {
  let best = { start: 0, worth: 0 };
  spans.forEach(({ from }, i) => {
    const inside = [];
    for (let j = i; j < spans.length && spans[j].to <= from + PASSAGE; j++) inside.push(spans[j].term);
    const worth = 1000 * new Set(inside).size + inside.length;
    if (worth > best.worth) best = { start: from < PASSAGE / 4 ? 0 : from, worth };
  });
  return best.start;
}

// From a place in the text, back to the start of a sentence or a word nearby, and on to the end of a word.
function wholeWords(text, place) {
  const before = text.slice(Math.max(0, place - 120), place);
  const stop = Math.max(...[". ", "! ", "? ", "; "].map((mark) => before.lastIndexOf(mark)));
  const start = stop < 0 || !place ? place : place - before.length + stop + 2;
  if (start + PASSAGE >= text.length) return [start, text.length];
  const space = text.lastIndexOf(" ", start + PASSAGE);
  return [start, space > start + PASSAGE / 2 ? space : start + PASSAGE];
}

// The words of a document without its text, those looked for first, with their counts.
function countedWords(d, terms) {
  const { words, counts } = stored();
  const sought = (n) => terms.some(({ masks }) => masks[0][n]);
  const all = Array.from(words[d], (n, i) => [n, counts[d][i]]).sort((a, b) => sought(b[0]) - sought(a[0]) || b[1] - a[1]);
  const parts = [""];
  all.slice(0, COUNTED).forEach(([n, count], i) => {
    const plain = i ? ", " : "";
    parts.push(`${parts.pop()}${plain}`);
    if (sought(n)) parts.push(archive.dictionary[n], ` ${whole(count)}`);
    else parts.push(`${parts.pop()}${archive.dictionary[n]} ${whole(count)}`);
  });
  return parts;
}

// Terms that a document has only after the part that is kept of it.
function laterTerms(d, terms) {
  if (!archive.texts || !stored().words[d].length) return [];
  const here = new Set(spansOf(d, terms).map(([, , term]) => term));
  return terms.filter((_, term) => !here.has(term)).map(({ text }) => text);
}
