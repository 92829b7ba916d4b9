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
    found.textContent = input.value.trim() ? `${whole(all.length)} ${all.length === 1 ? "word" : "words"} found` : "";
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
  const swatch = (topic) => el("span", { class: `swatch c${kept.findIndex((use) => use.topic === topic)}` });
  const row = ({ topic, part, mean, peak }) =>
    el("tr", {}, el("th", { scope: "row" }, swatch(topic), el("a", { href: `#topic-${topic}/${encodeURIComponent(word)}` }, nameOf(topic))), el("td", {}, percent(part)), el("td", {}, percent(mean)), el("td", {}, data.labels[peak]));
  const head = ["topic", "of its uses", "in the topic", "most said in"].map((text) => el("th", { scope: "col" }, text));
  return [
    el("p", { class: "kicker" }, "Word"),
    el("h1", {}, word),
    el("p", { class: "standfirst" }, `${whole(data.counts[v])} times in the corpus.${data.listed ? ` The search knows ${data.listed}, the most frequent.` : ""}`),
    archive ? el("p", {}, el("a", { href: documentsWith(word) }, "Documents with this word")) : null,
    kept.length ? el("section", {}, el("h2", {}, "How often it was said"), wordChart(word, kept)) : null,
    el("section", {}, el("h2", {}, "Where it is used"), el("div", { class: "wide" }, el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, uses.map(row))))),
    el("p", { class: "note" }, kept.length < uses.length ? "The picture shows the topics this word matters most to; of the others the file has only what the table says." : ""),
  ];
}

// Of all words said around a time, how many were this one, and in which topic.
function wordChart(word, kept) {
  const said = ({ topic, w }, t) => data.topics[topic].shares[t] * curvesOf(topic).mean(w, t);
  const layers = kept.map((use, c) => ({
    values: TIMES.map((_, t) => said(use, t)), style: `c${c}`, name: data.topics[use.topic].name, link: `topic-${use.topic}/${encodeURIComponent(word)}`,
  }));
  const top = 1.1 * Math.max(...TIMES.map((_, t) => layers.reduce((sum, layer) => sum + layer.values[t], 0)));
  const row = (use) => WHEN.map((t) => [word, use.topic, TIMES[t], data.labels[t], said(use, t), ...["mean", "low", "high"].map((part) => curvesOf(use.topic)[part](use.w, t))]);
  return figure({
    title: `“${word}” in the text, by topic`,
    caption: "Share of all words that are this one, in each of the topics that use it most; press one to open it.",
    height: 320,
    paint: (svg, width, height) => paintStack(svg, width, height, layers, top || 1),
    rows: () => [["word", "topic", "time", "date", "share of all words", "probability in the topic", "low", "high"], ...kept.flatMap(row)],
    file: "word-in-topics",
  });
}
