// The page on which documents are found by their words: #documents?q=war+army&topic=3&from=1914&to=1918

const PER_PAGE = 20;
const WAIT = 400; // milliseconds from a change to the new address

const documentsLink = (asked) => `#documents?${new URLSearchParams(asked)}`;

// The address of all documents with a word of the vocabulary; what is more than one word is put in quotes.
function documentsWith(word) {
  const plain = word.replaceAll('"', " ");
  return documentsLink({ q: /^[\p{L}\p{N}]+$/u.test(plain) ? plain : `"${plain}"` });
}

// What an address asks for; what it does not say, or says wrongly, is left open.
function askedFor(address) {
  const given = new URLSearchParams(address);
  const k = /^\d+$/.test(given.get("topic") ?? "") ? Number(given.get("topic")) : -1;
  const within = (end) => (label) => given.has(end) && label.startsWith(given.get(end));
  const from = data.labels.findIndex(within("from"));
  const to = data.labels.findLastIndex(within("to"));
  return {
    query: given.get("q") ?? "", topic: k in data.topics ? k : null,
    from: Math.max(0, from), to: to < Math.max(0, from) ? LAST : to,
  };
}

function addressOf({ query, topic, from, to }) {
  const said = { q: query.trim(), topic, from: from ? data.labels[from] : null, to: to < LAST ? data.labels[to] : null };
  const asked = Object.entries(said).filter(([, value]) => value !== null && value !== "");
  return asked.length ? documentsLink(asked) : "#documents";
}

function documentsPage(address) {
  const asked = askedFor(address);
  const results = el("div", { class: "results", onclick: () => keep() });
  const count = el("p", { class: "count", role: "status" });
  const more = el("button", { type: "button", onclick: () => show(results.children.length) }, "Show more");
  let terms = [];
  let found = [];
  let timer = null;
  const show = (start) => {
    if (!start) results.replaceChildren();
    results.append(...found.slice(start, start + PER_PAGE).map((d) => foundCard(d, terms)));
    more.hidden = results.children.length >= found.length;
    if (start) results.children[start].querySelector("h3").focus();
  };
  const update = () => {
    terms = termsOf(asked.query);
    found = rankedDocuments({ ...asked, terms });
    count.textContent = countSentence(found.length, terms, asked);
    show(0);
    clearTimeout(timer);
    timer = setTimeout(keep, WAIT);
  };
  const keep = () => results.isConnected && history.replaceState(null, "", addressOf(asked));
  const form = findForm(asked, update, keep);
  update();
  return [
    el("h1", {}, "Documents"),
    el("p", { class: "standfirst" }, archive.note),
    archive.cut ? el("p", { class: "note" }, `Of a longer text, the first ${archive.cut} characters are in this file, and the words that come later; quoted phrases are found in that first part.`) : null,
    form,
    el("section", { "aria-label": "Documents found" }, count, results, el("p", { class: "more" }, more)),
  ];
}

// Words, topic and time: every change is answered at once.
function findForm(asked, update, keep) {
  const query = el("input", {
    id: "find", type: "search", autocapitalize: "none", spellcheck: "false", value: asked.query, placeholder: "words, or “several words” in quotes",
    oninput: () => ((asked.query = query.value.replace(/[“”„«»]/g, '"')), update()),
  });
  const topic = el("select", { id: "about", onchange: () => ((asked.topic = topic.value === "" ? null : Number(topic.value)), update()) });
  topic.append(el("option", { value: "" }, "any topic"));
  data.topics.forEach((_, k) => topic.append(el("option", { value: k, selected: k === asked.topic }, `${k}: ${nameOf(k)}`)));
  return el(
    "form",
    { class: "find", role: "search", "aria-label": "Documents", autocomplete: "off", onchange: keep, onsubmit: (event) => event.preventDefault() },
    el("div", {}, el("label", { for: "find" }, "With the words"), query),
    el("div", {}, el("label", { for: "about" }, "About"), topic),
    LAST ? windowBar(asked, update) : null,
  );
}

// Two sliders, for the first and the last time; one pushes the other along.
function windowBar(asked, update) {
  const ends = ["from", "to"].map((end) => {
    const input = el("input", { type: "range", id: `${end}-time`, min: 0, max: LAST, step: 1, value: asked[end], oninput: () => move(end, Number(input.value)) });
    const output = el("output", { for: input.id, class: "date" });
    const show = () => {
      input.value = asked[end];
      input.setAttribute("aria-valuetext", data.labels[asked[end]]);
      output.textContent = data.labels[asked[end]];
    };
    return { show, node: el("div", { class: "reach" }, el("label", { for: input.id }, end === "from" ? "From" : "To"), input, output) };
  });
  const move = (end, t) => {
    asked[end] = t;
    if (asked.from > asked.to) asked[end === "from" ? "to" : "from"] = t;
    ends.forEach(({ show }) => show());
    update();
  };
  ends.forEach(({ show }) => show());
  return el("div", { class: "window", role: "group", "aria-label": "Time" }, ...ends.map(({ node }) => node));
}

function countSentence(n, terms, { topic }) {
  const words = terms.map(({ text }) => `“${text}”`).join(" and ");
  const documents = `${n ? whole(n) : "No"} ${n === 1 ? "document" : "documents"}`;
  const what = terms.length ? ` with ${words}` : "";
  const order = n < 2 ? "" : terms.length ? ", the best match first" : topic === null ? ", in order of time" : ", the highest share first";
  return `${documents}${what}${topic === null ? "" : ` about ${nameOf(topic)}`}${order}.`;
}

// dated : link to the page of its date, if it has one
function foundCard(d, terms, dated = pageOfDated.has(d) ? datedLink(pageOfDated.get(d)) : null) {
  const later = laterTerms(d, terms);
  const topics = archive.topics[d];
  const links = topics.flatMap((k, i) => (i % 2 ? [] : [i ? " · " : "", `${topics[i + 1]}% `, el("a", { href: `#topic-${k}` }, nameOf(k))]));
  const page = dated ? [links.length ? " · " : "", dated] : [];
  const about = [...links, ...page, later.length ? `${links.length + page.length ? " · " : ""}later in the text: ${later.join(", ")}` : ""];
  const card = documentCard({ date: stored().dates[d], name: archive.names[d], link: archive.links?.[d], about, parts: passageOf(d, terms) });
  card.querySelector("h3").tabIndex = -1;
  return card;
}
