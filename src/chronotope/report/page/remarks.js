// What is said of the topics themselves: their relations, and what none of them explains.

function relatedView(k) {
  const related = data.topics[k].related;
  if (!related.length) return null;
  return el(
    "section",
    { "aria-labelledby": "related" },
    el("h2", { id: "related" }, "Related topics"),
    el("ul", { class: "plain" }, ...related.map(({ topic, why }) =>
      el("li", {}, el("a", { href: `#topic-${topic}` }, nameOf(topic)), el("span", { class: "figures" }, why)))),
  );
}

function unexplainedView() {
  if (!data.unexplained.length) return null;
  return el(
    "section",
    { "aria-labelledby": "unexplained" },
    el("h2", { id: "unexplained" }, "What no topic explains"),
    el("p", { class: "note" }, data.unexplainedNote),
    el("dl", {}, ...data.unexplained.flatMap(({ period, words, documents }) => [
      el("dt", {}, period),
      el("dd", {}, ...words.flatMap((v, i) => [i ? ", " : "", el("a", { href: wordLink(v) }, wordOf(v))]), ...documents.map(unexplainedDocument)),
    ])),
  );
}

function unexplainedDocument({ date, name, share, words }) {
  return el("p", { class: "figures" }, `${date} ${name}: ${percent(share)} of its words, most of all ${words.join(", ")}`);
}
