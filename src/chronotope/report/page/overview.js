// The first page: all topics, and how much of the text each had at every time.

const COLOURED = 7;
let order = "share";

const ORDERS = {
  share: ["share of the text", (topic) => -topic.share],
  peak: ["when they peaked", (topic) => topic.peak],
  rise: ["how they rose", (topic) => topic.early - topic.late],
  number: ["number", (topic, k) => k],
};

function overviewPage() {
  const cards = el("ol", { class: "cards" });
  const choose = el("select", { id: "order", onchange: () => ((order = choose.value), list(cards)) });
  for (const [key, [label]] of Object.entries(ORDERS))
    choose.append(el("option", { value: key, selected: key === order }, label));
  list(cards);
  return [
    el("h1", {}, data.title),
    el("p", { class: "standfirst" }, data.standfirst),
    el("section", { "aria-labelledby": "river" }, el("h2", { id: "river" }, "What was written about, and when"), data.countedNote ? el("p", { class: "note" }, data.countedNote) : null, river()),
    el(
      "section",
      { "aria-labelledby": "all" },
      el("div", { class: "row" }, el("h2", { id: "all" }, "All topics"), el("label", { for: "order" }, "ordered by ", choose)),
      el("p", { class: "note" }, `Each is named by the words that set it apart. ${data.sharesNote}`),
      cards,
    ),
    unexplainedView(),
  ];
}

function list(cards) {
  const key = ORDERS[order][1];
  const sorted = data.topics.map((topic, k) => [key(topic, k), k]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const highest = topOf(data.topics.map(prevalenceOf));
  cards.replaceChildren(...sorted.map(([, k]) => card(k, highest)));
}

function card(k, highest) {
  const topic = data.topics[k];
  return el(
    "li",
    {},
    el(
      "a",
      { href: `#topic-${k}`, class: "card" },
      el("span", { class: "number" }, `Topic ${k}`),
      el("span", { class: "title" }, nameOf(k)),
      spark(prevalenceOf(topic), highest),
      el("span", { class: "figures" }, `${percent(topic.share)} of the text, most in ${data.labels[topic.peak]}`),
      topic.turn ? el("span", { class: "figures warn" }, topic.turn) : null,
      topic.mark ? el("span", { class: "figures warn" }, topic.mark) : null,
    ),
  );
}

// A small area without axes; all on one page share their highest value.
function spark({ share, low, high }, highest, width = 300, height = 44) {
  const box = {
    left: 0, right: width, x: (time) => ((time - TIMES[0]) / (TIMES[LAST] - TIMES[0])) * width,
    y: (value) => height - 2 - (value / highest) * (height - 4),
  };
  const lines = overTime(box, (t) => share[t]);
  const band = high && areaPaths(overTime(box, (t) => high[t]), overTime(box, (t) => low[t]));
  const svg = draw("svg", { class: "spark", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  svg.append(
    draw("path", { class: "under", d: band ?? areaPaths(lines, lines.map((line) => line.map(([x]) => [x, height - 1]))) }),
    draw("path", { class: "over", d: linePaths(lines) }),
  );
  return svg;
}

// All topics stacked, the largest in colour and named.
function river() {
  const ranked = (key) => data.topics.map((topic, k) => [key(topic), k]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, k]) => k);
  const large = ranked((topic) => -topic.share).slice(0, COLOURED);
  const style = (k, i) => (large.includes(k) ? `c${large.indexOf(k)}` : `grey${i % 3}`);
  const layers = ranked((topic) => topic.peak).map((k, i) => ({
    values: data.topics[k].shares, style: style(k, i), name: data.topics[k].name, link: `topic-${k}`,
  }));
  const legend = large.map((k, i) => el("li", {}, el("span", { class: `swatch c${i}` }), el("a", { href: `#topic-${k}` }, nameOf(k))));
  const chart = figure({
    title: "Shares of all topics over time",
    caption: `${COLOURED < data.topics.length ? `The ${COLOURED} largest topics in colour, the others in grey; press` : "Press"} one to open it.`,
    height: 380,
    paint: (svg, width, height) => paintStack(svg, width, height, layers, 1),
    rows: () => [
      ["time", "date", ...data.topics.map((topic, k) => `topic ${k}: ${nameOf(k)}`)],
      ...WHEN.map((t) => [TIMES[t], data.labels[t], ...data.topics.map((topic) => topic.shares[t])]),
    ],
    file: "shares-of-topics",
  });
  return [chart, el("ul", { class: "legend", "aria-label": "The largest topics" }, legend)];
}
