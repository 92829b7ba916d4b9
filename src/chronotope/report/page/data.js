// What the file carries, unpacked when first asked for.

const data = JSON.parse(document.getElementById("data").textContent);
const TIMES = data.times;
const LAST = TIMES.length - 1;
const WRITTEN = data.written.map(Boolean); // whether there are documents at or near each time
const WHEN = TIMES.map((_, t) => t).filter((t) => WRITTEN[t]);
const LOG_FLOOR = Math.log(data.floor);
const unpacked = new Map();

function decode(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Uint16Array(bytes.buffer);
}

// Probabilities lie on a logarithmic scale of 65,535 steps; 0 is anything below the floor.
const probability = (q) => (q === 0 ? 0 : Math.exp(LOG_FLOOR * (1 - q / 65535)));

// Curves of a topic's words: for word w at time t, mean, low and high.
function curvesOf(k) {
  if (!unpacked.has(k)) {
    const q = decode(data.topics[k].curves);
    const size = data.topics[k].words.length * TIMES.length;
    const part = (i) => (w, t) => probability(q[i * size + w * TIMES.length + t]);
    unpacked.set(k, { mean: part(0), low: part(1), high: part(2) });
  }
  return unpacked.get(k);
}

// The topics a word of the vocabulary is used in, most of its uses first.
function usesOf(v) {
  if (!unpacked.has("uses")) unpacked.set("uses", decode(data.uses.table));
  const table = unpacked.get("uses");
  const rows = [];
  for (let i = 0; i < data.uses.each; i++) {
    const [topic, part, mean, peak] = table.subarray(4 * (v * data.uses.each + i), 4 * (v * data.uses.each + i) + 4);
    if (part > 0) rows.push({ topic, part: part / 65535, mean: probability(mean), peak });
  }
  return rows;
}

// What is drawn of a topic over time: the model's prevalence with its band, or without one the share of the text.
const prevalenceOf = (topic) => topic.prevalence ?? { share: topic.shares };

// The highest value to draw of curves; a band that is far wider than the curves are high is cut off.
function topOf(curves) {
  const top = Math.max(...curves.flatMap(({ share }) => share));
  return Math.min(2 * top, Math.max(...curves.flatMap(({ share, high }) => high ?? share)));
}

const wordOf = (v) => data.vocabulary[v];
const nameOf = (k) => data.topics[k].name.join(", ");

function percent(p) {
  if (!(p > 0)) return "0%";
  if (p < 0.0001) return "<0.01%";
  const digits = p >= 0.1 ? 0 : p >= 0.01 ? 1 : 2;
  return `${(100 * p).toFixed(digits)}%`;
}

const whole = (n) => Math.round(n).toLocaleString("en");

function argmax(values) {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}

// The point of the grid with documents that is nearest to a time.
function nearest(time) {
  let best = WHEN[0];
  for (const t of WHEN) if (Math.abs(TIMES[t] - time) < Math.abs(TIMES[best] - time)) best = t;
  return best;
}

// The same point if it has documents, else the next one that has, on the way from another.
function withText(t, from) {
  const ahead = t >= from ? WHEN.find((other) => other >= t) : WHEN.findLast((other) => other <= t);
  return ahead ?? nearest(TIMES[t]);
}

// First and last point of every stretch of time without gaps.
function stretches() {
  const found = [];
  for (const t of WHEN) {
    if (found.length && found.at(-1)[1] === t - 1) found.at(-1)[1] = t;
    else found.push([t, t]);
  }
  return found;
}
