// Finding a word in all topics.

const HITS = 12;
const lowered = data.vocabulary.map((word) => word.toLowerCase());

// Words that begin with what was typed, then words that hold it; frequent ones first, as the vocabulary is ordered.
function matches(typed) {
  const query = typed.trim().toLowerCase();
  if (!query) return [];
  const begins = [];
  const holds = [];
  lowered.forEach((word, v) => {
    if (word === query) begins.unshift(v);
    else if (word.startsWith(query)) begins.push(v);
    else if (word.includes(query)) holds.push(v);
  });
  return begins.concat(holds);
}

const wordLink = (v) => `#word-${encodeURIComponent(wordOf(v))}`;

function startSearch() {
  const form = document.getElementById("search");
  const input = document.getElementById("query");
  const hits = document.getElementById("hits");
  const found = document.getElementById("found");
  const close = () => (hits.hidden = true);
  const update = () => {
    const all = matches(input.value);
    hits.replaceChildren(...all.slice(0, HITS).map((v) => el("li", {}, el("a", { href: wordLink(v), onclick: close }, wordOf(v)))));
    if (input.value.trim() && !all.length) hits.append(el("li", { class: "none" }, "no such word among the model’s"));
    hits.hidden = !hits.children.length;
    found.textContent = input.value.trim() ? `${whole(all.length)} words found` : "";
  };
  input.addEventListener("input", update);
  input.addEventListener("focus", update);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const [first] = matches(input.value);
    if (first !== undefined) location.hash = wordLink(first);
    close();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return close();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || hits.hidden) return;
    event.preventDefault();
    const stops = [input, ...hits.querySelectorAll("a")];
    stops[(stops.indexOf(document.activeElement) + step + stops.length) % stops.length].focus();
  });
  document.addEventListener("pointerdown", (event) => !form.contains(event.target) && close());
  form.addEventListener("focusout", (event) => !form.contains(event.relatedTarget) && event.relatedTarget && close());
}

function wordPage(v) {
  const uses = usesOf(v);
  const word = wordOf(v);
  const kept = uses.map((use) => ({ ...use, w: data.topics[use.topic].words.indexOf(v) })).filter((use) => use.w >= 0).slice(0, MOST_CURVES);
  const row = ({ topic, part, mean, peak }) =>
    el("tr", {}, el("th", { scope: "row" }, el("a", { href: `#topic-${topic}/${encodeURIComponent(word)}` }, nameOf(topic))), el("td", {}, percent(part)), el("td", {}, percent(mean)), el("td", {}, data.labels[peak]));
  const head = ["topic", "of its uses", "in the topic", "most said in"].map((text) => el("th", { scope: "col" }, text));
  return [
    el("p", { class: "kicker" }, "Word"),
    el("h1", {}, word),
    el("p", { class: "standfirst" }, `${whole(data.counts[v])} times in the corpus.`),
    kept.length ? el("section", {}, el("h2", {}, "In its topics over time"), wordChart(word, kept)) : null,
    el("section", {}, el("h2", {}, "Where it is used"), el("div", { class: "wide" }, el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, uses.map(row))))),
    el("p", { class: "note" }, kept.length < uses.length ? "Curves are kept for the words that matter most to a topic; for the others the file has the averages of the table." : ""),
  ];
}

function wordChart(word, kept) {
  const value = ({ topic, w }, t) => curvesOf(topic).mean(w, t);
  const peak = (use) => argmax(TIMES.map((_, t) => value(use, t)));
  const paint = (svg, width, height) => {
    const highest = Math.max(1e-6, ...kept.map((use) => value(use, peak(use))));
    const box = axes(svg, width, height, highest * 1.3);
    kept.forEach((use, c) => {
      const { topic, w } = use;
      svg.append(draw("path", { class: `ribbon c${c}`, d: areaPath(overTime(box, (t) => curvesOf(topic).high(w, t)), overTime(box, (t) => curvesOf(topic).low(w, t))) }));
      svg.append(draw("path", { class: `line c${c}`, d: linePath(overTime(box, (t) => value(use, t))) }));
    });
    labelPeaks(svg, box, kept.map((use, c) => ({ x: LAST ? box.x(TIMES[peak(use)]) : box.right, y: box.y(value(use, peak(use))), text: data.topics[use.topic].name.slice(0, 2).join(", "), style: `c${c}` })));
  };
  return figure({
    title: `“${word}” in its topics`,
    caption: `Its probability in each topic; shaded, the ${data.level} credible band.`,
    height: 320,
    paint,
    rows: () => [["word", "topic", "time", "date", "mean", "low", "high"], ...kept.flatMap((use) => TIMES.map((time, t) => [word, use.topic, time, data.labels[t], value(use, t), curvesOf(use.topic).low(use.w, t), curvesOf(use.topic).high(use.w, t)]))],
    file: "word-in-topics",
  });
}
