// Charts: a figure that draws itself to the width there is, with its numbers and its picture to take away.

const MARGIN = { top: 18, right: 12, bottom: 24, left: 44 };
const STRIP = 12; // height of the strip of documents under a chart over time

// paint(svg, width, height) draws; rows() gives the numbers, names of columns first; height is a number or follows the width.
function figure({ title, caption, height, paint, rows, file }) {
  const canvas = el("div", { class: "canvas" });
  const tall = typeof height === "function" ? height : () => height;
  const node = el(
    "figure",
    { class: "chart" },
    canvas,
    el(
      "figcaption",
      {},
      el("span", {}, caption),
      el(
        "span",
        { class: "take" },
        el("button", { type: "button", "aria-label": `Numbers of “${title}” as CSV`, onclick: () => saveCsv(file, rows()) }, "CSV"),
        el("button", { type: "button", "aria-label": `Picture of “${title}” as SVG`, onclick: () => saveSvg(file, picture(title, paint, tall(900))) }, "SVG"),
        el("button", { type: "button", "aria-label": `Picture of “${title}” as PNG`, onclick: () => savePng(file, picture(title, paint, tall(900))) }, "PNG"),
      ),
    ),
  );
  let width = 0;
  node.redraw = () => {
    width = canvas.clientWidth;
    if (width < 60) return;
    const svg = blank(title, width, tall(width));
    paint(svg, width, tall(width));
    canvas.replaceChildren(svg);
  };
  new ResizeObserver(() => {
    if (canvas.clientWidth !== width) node.redraw();
  }).observe(canvas);
  return node;
}

function blank(title, width, height) {
  return draw("svg", { role: "img", "aria-label": title, viewBox: `0 0 ${width} ${height}`, width, height, class: "plot" });
}

// Scales and axes of a chart over time; `top` is the highest value, `least` begins a logarithmic axis.
function axes(svg, width, height, top, { ticks = data.ticks, times = TIMES, least = null, unit = inPercent } = {}) {
  const left = MARGIN.left;
  const right = width - MARGIN.right;
  const strip = times === TIMES && LAST ? STRIP : 0;
  const bottom = height - MARGIN.bottom - strip;
  const first = times[0];
  const span = times[times.length - 1] - first;
  const x = (time) => (span > 0 ? left + ((time - first) / span) * (right - left) : (left + right) / 2);
  const rise = (value) =>
    least === null ? value / top : Math.max(0, Math.log(value / least) / Math.log(top / least));
  const y = (value) => bottom - Math.min(rise(Math.max(value, least ?? 0)), 1.02) * (bottom - MARGIN.top);
  for (const value of least === null ? evenTicks(top) : powerTicks(least, top)) {
    svg.append(
      draw("line", { class: "rule", x1: left, x2: right, y1: round(y(value)), y2: round(y(value)) }),
      draw("text", { class: "tick", x: left - 6, y: round(y(value)) + 4, "text-anchor": "end" }, unit(value)),
    );
  }
  const widest = Math.max(1, ...ticks.map(([, label]) => label.length)) * 7 + 16;
  const every = Math.max(1, Math.ceil((widest * ticks.length) / (right - left)));
  ticks.forEach(([time, label], i) => {
    if (i % every) return;
    const at = x(time);
    const anchor = at > right - widest / 2 + 8 ? "end" : at < left + 8 ? "start" : "middle";
    svg.append(
      draw("line", { class: "notch", x1: round(at), x2: round(at), y1: bottom + strip, y2: bottom + strip + 4 }),
      draw("text", { class: "tick", x: round(at), y: bottom + strip + 17, "text-anchor": anchor }, label),
    );
  });
  if (strip) svg.append(documentStrip(x, bottom, (right - left) / LAST));
  svg.append(draw("line", { class: "base", x1: left, x2: right, y1: bottom, y2: bottom }));
  return { x, y, left, right, bottom, top: MARGIN.top };
}

// How many documents there are around each time: bars that hang from the axis.
function documentStrip(x, top, wide) {
  const most = Math.max(...data.documents);
  const bars = WHEN.filter((t) => data.documents[t]).map((t) => {
    const tall = 1 + (STRIP - 2) * Math.sqrt(data.documents[t] / most);
    return `M${round(x(TIMES[t]) - wide / 2)},${top}h${round(wide)}v${round(tall)}h${round(-wide)}Z`;
  });
  return draw("path", { class: "strip", d: bars.join("") }, draw("title", {}, `Documents over time, at most ${whole(most)} in one place`));
}

const inPercent = (value) => `${Number((100 * value).toPrecision(3))}%`;

function evenTicks(top) {
  const rough = top / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((n) => n * power).find((n) => n >= rough);
  const ticks = [];
  for (let i = 0; i * step <= top * 1.0001; i++) ticks.push(i * step);
  return ticks;
}

function powerTicks(least, top) {
  const ticks = [];
  for (let power = Math.floor(Math.log10(least)); 10 ** power <= top; power++)
    for (const n of [1, 3]) {
      const value = n * 10 ** power;
      if (value >= least * 0.999 && value <= top) ticks.push(value);
    }
  return ticks;
}

// Names beside peaks instead of a legend: the highest first, each moved until it covers no other.
function labelPeaks(svg, box, labels) {
  const taken = [];
  for (const { x, y, text, style } of [...labels].sort((a, b) => a.y - b.y)) {
    const half = text.length * 3.6 + 4;
    const cx = Math.min(Math.max(x, box.left + half), box.right - half);
    const free = (cy) => taken.every((o) => Math.abs(o.cx - cx) > o.half + half || Math.abs(o.cy - cy) > 14);
    let cy = y - 7;
    for (let step = 1; step < 40 && !(free(cy) && cy > 8 && cy < box.bottom); step++)
      cy = y - 7 + (step % 2 ? 1 : -1) * Math.ceil(step / 2) * 7;
    taken.push({ cx, cy, half });
    svg.append(draw("text", { class: `name ${style}`, x: round(cx), y: round(cy), "text-anchor": "middle" }, text));
  }
}
