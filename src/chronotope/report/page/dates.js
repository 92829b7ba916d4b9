// Dates in words, dates that are known roughly as bars, and charts of when a document was probably written.

const BAR = { width: 110, height: 9 };
const PARTS = 200; // of the time, in a chart of a date, at most

// A time in words, as finely as the dates that the model knows are apart.
function dateName(time) {
  const { calendar, cut } = data.candidates;
  if (!calendar) return String(Number(time.toPrecision(6)));
  const year = Math.floor(time);
  const [start, end] = [dayOf(year), dayOf(year + 1)];
  const day = new Date(start + Math.round((time - year) * ((end - start) / 864e5)) * 864e5);
  const date = `${String(day.getUTCFullYear()).padStart(4, "0")}${day.toISOString().slice(-20, -14)}`;
  return cut ? date.slice(0, -cut) : date;
}

const dayOf = (year) => new Date(0).setUTCFullYear(year, 0, 1); // milliseconds

// The most probable date, and beyond it if it is at the edge of what the model knows: "1931", "1795 or before".
const bestName = ({ best, beyond }) => `${dateName(best)}${beyond ? ` or ${beyond}` : ""}`;

// An interval in words; an end at the edge of what the model knows is open.
function intervalName([low, high]) {
  if (low === null && high === null) return "at any time";
  if (low === null) return `in ${dateName(high)} or before`;
  if (high === null) return `in ${dateName(low)} or after`;
  return dateName(low) === dateName(high) ? `in ${dateName(low)}` : `between ${dateName(low)} and ${dateName(high)}`;
}

// A small bar over the span of a date that is known roughly, on the axis of the report; its likeliest part is darker.
function dateBar(date) {
  const bars = Object.hasOwn(data.bars, date) ? data.bars[date] : [];
  if (!bars.length || !LAST) return null;
  const x = (time) => ((time - TIMES[0]) / (TIMES[LAST] - TIMES[0])) * BAR.width;
  const svg = draw("svg", { class: "known", viewBox: `0 0 ${BAR.width} ${BAR.height}`, width: BAR.width, height: BAR.height, "aria-hidden": "true" });
  svg.append(draw("line", { class: "base", x1: 0, x2: BAR.width, y1: BAR.height - 0.5, y2: BAR.height - 0.5 }), ...spanRects(bars, x, 0, BAR.height - 2));
  return svg;
}

// Bars from the first to the last time that a date can be, darker between the inner two.
function spanRects(bars, x, top, tall) {
  const rect = (from, to, style) => {
    const left = Math.min(x(from), x(to) - 2); // a short span is seen too
    return draw("rect", { class: style, x: round(Math.max(0, left)), y: top, width: round(Math.max(2, x(to) - left)), height: tall });
  };
  return bars.flatMap(([a, b, c, d]) => (a === b && c === d ? [rect(a, d, "span")] : [rect(a, d, "span outer"), rect(b, c, "span")]));
}

// The distribution of a date, in even parts of the time: candidate times may be near each other, and far apart.
// dated : gives mass of the candidate times, best and interval, to be shaded;  bars : of what is known of the date
function dateChart({ title, caption, file, dated, bars = [] }) {
  const { times, edges, ticks } = data.candidates;
  const paint = (svg, width, height) => {
    const { mass, best, interval } = dated();
    const parts = evenParts(mass);
    const box = axes(svg, width, height, Math.max(...parts.high) * 1.2, { ticks, times: [edges[0], edges.at(-1)] });
    const shaded = stepLine(box, parts, interval[0] ?? edges[0], interval[1] ?? edges.at(-1));
    svg.append(
      ...spanRects(bars, box.x, box.bottom - 6, 6),
      draw("path", { class: "under", d: areaPath(shaded, shaded.map(([x]) => [x, box.bottom])) }),
      draw("path", { class: "over", d: linePath(stepLine(box, parts, edges[0], edges.at(-1))) }),
    );
    const part = parts.edges.findIndex((edge) => edge > best) - 1;
    labelPeaks(svg, box, [{ x: box.x(best), y: box.y(parts.high.at(part)), text: bestName(dated()), style: "c0" }]);
  };
  const rows = () => [["time", "date", "probability"], ...dated().mass.map((p, c) => [times[c], dateName(times[c]), p])];
  return figure({ title, caption, height: 190, paint, rows, file });
}

// The mass of candidate times in parts of equal length, as many as there are candidates, at most so many.
function evenParts(mass) {
  const { edges } = data.candidates;
  const n = Math.min(mass.length, PARTS);
  const [first, step] = [edges[0], (edges.at(-1) - edges[0]) / n];
  const high = new Array(n).fill(0);
  mass.forEach((p, c) => {
    const [start, end] = [(edges[c] - first) / step, (edges[c + 1] - first) / step];
    for (let i = Math.floor(start); i < Math.min(n, end); i++) high[i] += (p * (Math.min(end, i + 1) - Math.max(start, i))) / (end - start);
  });
  return { high, edges: high.map((_, i) => first + i * step).concat(edges.at(-1)) };
}

// The outline of a histogram between two times.
function stepLine(box, { high, edges }, from, to) {
  const points = [];
  high.forEach((value, i) => {
    const [start, end] = [Math.max(from, edges[i]), Math.min(to, edges[i + 1])];
    if (start < end) points.push([box.x(start), box.y(value)], [box.x(end), box.y(value)]);
  });
  return points;
}

// Words with what each says for a date, those that speak against it apart.
function wordsFor(words) {
  const most = Math.max(...words.map(([, weight]) => Math.abs(weight)));
  const list = (title, some) => (some.length ? el("div", {}, el("h3", {}, title), el("ul", { class: "telling" }, ...some.map((word) => tellingItem(word, most)))) : null);
  return el("div", { class: "evidence" }, list("For this date", words.filter(([, weight]) => weight > 0)), list("Against it", words.filter(([, weight]) => weight < 0)));
}

function tellingItem([word, weight], most) {
  const bar = el("span", { class: "bar" });
  bar.style.width = `${(100 * Math.abs(weight)) / most}%`;
  const v = data.vocabulary.indexOf(word);
  const name = v < 0 ? el("span", {}, word) : el("a", { href: wordLink(v) }, word);
  return el("li", { class: weight < 0 ? "against" : null }, name, el("span", { class: "track" }, bar), el("span", { class: "value" }, weight.toFixed(1).replace("-", "−")));
}
