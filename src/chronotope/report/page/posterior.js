// When a text was written, by its words: the library's sums, over tables of a byte for each number.

const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
const floatsOf = (text) => new Float32Array(bytesOf(text).buffer);

// The tables, and for each candidate time its place among the nodes of usage and among the bins of the regression.
function datingTables() {
  if (unpacked.has("dating")) return unpacked.get("dating");
  const { usage, classes, idf, line, nodes, bins, prior } = data.dating;
  const times = data.candidates.times;
  const chances = prior.map(Math.exp);
  const total = chances.reduce((sum, p) => sum + p, 0);
  const rows = (table, points) => {
    const places = placesAmong(points, times);
    const usual = new Float64Array(points.length); // weights by which a row has its mean over all times
    places.forEach(({ left, part }, c) => {
      usual[left] += (chances[c] / total) * (1 - part);
      if (part) usual[left + 1] += (chances[c] / total) * part;
    });
    return { q: bytesOf(table.table), steps: floatsOf(table.steps), n: points.length, places, usual };
  };
  const middle = times.reduce((sum, time, c) => sum + (chances[c] / total) * time, 0);
  unpacked.set("dating", { usage: rows(usage, nodes), classes: rows(classes, bins), idf: floatsOf(idf), line: floatsOf(line), middle });
  return unpacked.get("dating");
}

// For each time the node before it, and how much of the way to the next one it is.
function placesAmong(nodes, times) {
  let left = 0;
  return times.map((time) => {
    while (left < nodes.length - 2 && nodes[left + 1] <= time) left++;
    const part = nodes.length > 1 ? (time - nodes[left]) / (nodes[left + 1] - nodes[left]) : 0;
    return { left, part: Math.min(1, Math.max(0, part)) };
  });
}

const valueAt = (values, { left, part }) => values[left] * (1 - part) + (part ? values[left + 1] * part : 0);

// What words weigh: log2(1 + n) in usage, log(1 + n) idf in regressions, divided by its length as a vector.
function weightsOfWords(counts) {
  const { idf } = datingTables();
  const words = [...counts].map(([v, n]) => ({ v, damped: Math.log2(1 + n), profile: Math.log1p(n) * idf[v] }));
  const length = Math.sqrt(words.reduce((sum, { profile }) => sum + profile ** 2, 0)) || 1;
  return words.map((word) => ({ ...word, profile: word.profile / length }));
}

function sumOfRows({ q, steps, n }, words, weight) {
  const sum = new Float64Array(n);
  for (const word of words) {
    const by = word[weight] * steps[word.v];
    for (let j = 0; j < n; j++) sum[j] += by * q[word.v * n + j];
  }
  return sum;
}

// The distribution over candidate times, (C,), of a text with these counts of words.
function massOfWords(words) {
  const { usage, classes, line } = datingTables();
  const { intercepts, start, width, beta, prior } = data.dating;
  const times = data.candidates.times;
  const used = sumOfRows(usage, words, "damped");
  const classed = sumOfRows(classes, words, "profile").map((value, b) => value + intercepts[b]);
  const straight = words.reduce((sum, { v, profile }) => sum + profile * line[v], start);
  const about = Math.min(Math.max(straight, times[0]), times.at(-1));
  const logs = times.map((time, c) => {
    const said = valueAt(used, usage.places[c]) + valueAt(classed, classes.places[c]) - 0.5 * beta.line * ((time - about) / width) ** 2;
    return (words.length ? said : 0) + beta.prior * prior[c];
  });
  const most = Math.max(...logs);
  const chances = logs.map((value) => Math.exp(value - most));
  const total = chances.reduce((sum, p) => sum + p, 0);
  return chances.map((p) => p / total);
}

// The time before which some part of the mass is, spread evenly in each cell.
function quantile(mass, level) {
  const { edges } = data.candidates;
  let below = 0;
  for (let c = 0; c < mass.length; c++) {
    if (below + mass[c] >= level && mass[c] > 0) return edges[c] + ((level - below) / mass[c]) * (edges[c + 1] - edges[c]);
    below += mass[c];
  }
  return edges.at(-1);
}

// The most probable date, whether it may be beyond the dates that the model knows, and intervals by their names.
function datedBy(mass) {
  const { times, inner } = data.candidates;
  const best = times[argmax(mass)];
  const intervals = data.dating.levels.map(([name, wide]) => {
    const [low, high] = [quantile(mass, 0.5 - wide / 2), quantile(mass, 0.5 + wide / 2)];
    return { name, interval: [low < inner[0] ? null : low, high > inner[1] ? null : high] };
  });
  return { mass, best, beyond: best < inner[0] ? "before" : best >= inner[1] ? "after" : "", intervals };
}

// What each word adds to the log-probability of the most probable date, less its mean over all dates, the most first.
function partsOfWords(words, mass) {
  const { usage, classes, line, middle } = datingTables();
  const { beta, width } = data.dating;
  const c = argmax(mass);
  const above = ({ q, steps, n, places, usual }, v) => {
    const row = q.subarray(v * n, (v + 1) * n);
    return steps[v] * (valueAt(row, places[c]) - usual.reduce((sum, weight, j) => sum + weight * row[j], 0));
  };
  const away = (beta.line * (data.candidates.times[c] - middle)) / width ** 2;
  return words
    .map(({ v, damped, profile }) => [wordOf(v), damped * above(usage, v) + profile * (above(classes, v) + line[v] * away)])
    .sort((a, b) => b[1] - a[1]);
}
