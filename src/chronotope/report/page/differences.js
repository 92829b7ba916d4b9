// The page of groups: topics by how much the groups differ in them.

let ranked = "difference";

const RANKS = ["difference", "ratio"];
const COLUMNS = [["topic"], ["wrote most"], ["wrote least"], ["difference, percentage points", 2], ["ratio"], ["probability"]];

function differencesPage() {
  compared = null;
  const body = el("tbody");
  const choose = el("select", { id: "ranked", onchange: () => ((ranked = choose.value), listDifferences(body)) });
  for (const key of RANKS) choose.append(el("option", { selected: key === ranked }, key));
  listDifferences(body);
  const head = COLUMNS.map(([text, colspan]) => el("th", { scope: "col", colspan }, text));
  return [
    el("h1", {}, "Groups"),
    el("p", { class: "standfirst" }, data.groups.standfirst),
    el(
      "section",
      { "aria-labelledby": "differences" },
      el("div", { class: "row" }, el("h2", { id: "differences" }, "What groups wrote about more, and less"), el("label", { for: "ranked" }, "ordered by ", choose)),
      el("p", { class: "note" }, data.groups.differencesNote),
      el("table", { class: "differences" }, el("thead", {}, el("tr", {}, head)), body),
      el("p", { class: "take" }, el("button", { type: "button", "aria-label": "Numbers of these differences as CSV", onclick: () => saveCsv("differences-of-groups", differenceRows()) }, "CSV")),
    ),
  ];
}

// Numbers of the topics, the largest difference or ratio first.
function rankedTopics() {
  const size = (k) => data.topics[k].groups[ranked][0];
  return data.topics.map((_, k) => k).sort((a, b) => size(b) - size(a) || a - b);
}

function listDifferences(body) {
  const ends = data.topics.flatMap(({ groups }) => groups.difference);
  const scale = [Math.min(0, ...ends), Math.max(...ends)];
  body.replaceChildren(...rankedTopics().map((k) => differenceRow(k, scale)));
}

function differenceRow(k, scale) {
  const { most, least, difference, ratio, probability } = data.topics[k].groups;
  const cell = (label, ...children) => el("td", { "data-label": label }, ...children);
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, el("a", { href: `#topic-${k}` }, nameOf(k))),
    cell("most", data.groups.names[most]),
    cell("least", data.groups.names[least]),
    el("td", { class: "reach", "aria-hidden": "true" }, intervalBar(difference, scale)),
    cell("points", withInterval(pointTexts(difference))),
    cell("ratio", withInterval(ratioTexts(ratio))),
    cell("probability", chanceText(probability)),
  );
}

const withInterval = ([middle, low, high]) => `${middle} (${low} to ${high})`;

// A median with its interval, on a scale from the least to the most; zero is marked.
function intervalBar([middle, low, high], [least, most]) {
  const at = (value) => `${(100 * (value - least)) / (most - least || 1)}%`;
  const [zero, band, dot] = ["zero", "band", "dot"].map((name) => el("span", { class: name }));
  zero.style.left = at(0);
  band.style.left = at(low);
  band.style.width = at(high - low + least);
  dot.style.left = at(middle);
  return el("span", { class: "track" }, zero, band, dot);
}

function differenceRows() {
  const banded = (name) => [name, `${name} low`, `${name} high`];
  return [
    ["topic", "name", "most", "least", "probability", ...banded("difference"), ...banded("ratio")],
    ...rankedTopics().map((k) => {
      const { most, least, probability, difference, ratio } = data.topics[k].groups;
      return [k, nameOf(k), data.groups.names[most], data.groups.names[least], probability, ...difference, ...ratio];
    }),
  ];
}
