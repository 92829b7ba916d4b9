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
      el("li", {}, el("button", { type: "button", onclick: () => choose(event.at, event.words) }, el("span", { class: "date" }, event.date), el("span", {}, event.text)), event.documents.length ? el("p", { class: "figures" }, "in ", ...event.documents.flatMap(({ name, link }, i) => [i ? "; " : "", sourceLink(name, link)])) : null))),
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
    list.replaceChildren(...(periods[p].length ? periods[p].map(topicCard) : [el("p", { class: "note" }, "No document of this period is about the topic.")]));
  };
  data.periods.forEach((period, p) => tabs.append(el("button", { type: "button", onclick: () => turn(p) }, period.label)));
  return {
    show: (t) => turn(periodOf(TIMES[t])),
    node: el("section", { "aria-labelledby": "documents" }, el("h2", { id: "documents" }, "Documents"), el("p", { class: "note" }, data.documentsNote), tabs, list, archive ? el("p", {}, el("a", { href: documentsLink({ topic: k }) }, "Search all documents about this topic")) : null),
  };
}

function periodOf(time) {
  const after = data.periods.findIndex((period) => time < period.end);
  return after < 0 ? data.periods.length - 1 : after;
}

const topicCard = ({ share, dated, ...rest }) =>
  documentCard({ ...rest, about: [`${percent(share)} of this document is about the topic`, ...(dated === null ? [] : [" · ", datedLink(dated)])] });

// about : what to say under the name;  parts : pieces of the text, every second one to be marked
function documentCard({ date, name, link, about, parts }) {
  return el(
    "article",
    {},
    el("h3", {}, el("span", { class: "date" }, date, dateBar(date)), " ", sourceLink(name, link)),
    el("p", { class: "figures" }, ...about),
    el("p", { class: "text" }, ...parts.map((part, i) => (i % 2 ? el("mark", {}, part) : part))),
  );
}

// A document's name, which leads to its source if there is an address of http or https; nothing else is ever a link.
function sourceLink(name, link) {
  if (!/^https?:\/\//i.test(link ?? "")) return name;
  return el("a", { href: link, target: "_blank", rel: "noopener noreferrer" }, name, el("span", { class: "hidden" }, " (its source, in a new tab)"));
}
