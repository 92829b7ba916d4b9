// A topic's events, and documents that are much about it, period by period.

function eventsView(k, choose) {
  const events = data.topics[k].events;
  if (!events.length) return null;
  return el(
    "section",
    { "aria-labelledby": "events" },
    el("h2", { id: "events" }, "Events"),
    el("p", { class: "note" }, data.eventsNote),
    el("ol", { class: "events" }, ...events.map((event) =>
      el("li", {}, el("button", { type: "button", onclick: () => choose(event.at, event.words) }, el("span", { class: "date" }, event.date), el("span", {}, event.text), event.documents.length ? el("span", { class: "figures" }, `in ${event.documents.join("; ")}`) : null)))),
  );
}

function documentsView(k) {
  const periods = data.topics[k].documents;
  if (!periods.some((documents) => documents.length)) return { show: () => {}, node: null };
  const list = el("div", { class: "documents" });
  const tabs = el("div", { class: "periods", role: "group", "aria-label": "Period" });
  let open = null;
  const turn = (p) => {
    if (p === open) return;
    open = p;
    [...tabs.children].forEach((tab, i) => tab.setAttribute("aria-pressed", String(i === p)));
    list.replaceChildren(...(periods[p].length ? periods[p].map(documentCard) : [el("p", { class: "note" }, "No document of this period is about the topic.")]));
  };
  data.periods.forEach((period, p) => tabs.append(el("button", { type: "button", onclick: () => turn(p) }, period.label)));
  return {
    show: (t) => turn(periodOf(TIMES[t])),
    node: el("section", { "aria-labelledby": "documents" }, el("h2", { id: "documents" }, "Documents"), el("p", { class: "note" }, data.documentsNote), tabs, list),
  };
}

function periodOf(time) {
  const after = data.periods.findIndex((period) => time < period.end);
  return after < 0 ? data.periods.length - 1 : after;
}

// parts : pieces of the text, every second one a word of the topic
function documentCard({ date, name, share, parts }) {
  return el(
    "article",
    {},
    el("h3", {}, el("span", { class: "date" }, date), " ", name),
    el("p", { class: "figures" }, `${percent(share)} of this document is about the topic`),
    el("p", { class: "text" }, ...parts.map((part, i) => (i % 2 ? el("mark", {}, part) : part))),
  );
}
