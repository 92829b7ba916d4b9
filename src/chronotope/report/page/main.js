// Pages by address: #overview, #topic-3, #topic-3/word, #word-war, #groups, #documents?q=war, #document-3, #dating, #about.

function pageOf(hash) {
  const topic = /^topic-(\d+)(?:\/(.*))?$/.exec(hash);
  if (topic && Number(topic[1]) < data.topics.length) {
    const k = Number(topic[1]);
    return [`${nameOf(k)}`, () => topicPage(k, topic[2] === undefined ? undefined : plainText(topic[2]))];
  }
  const word = /^word-(.*)$/.exec(hash);
  const v = word ? data.vocabulary.indexOf(plainText(word[1])) : -1;
  if (v >= 0) return [wordOf(v), () => wordPage(v)];
  const documents = archive && /^documents(?:\?(.*))?$/.exec(hash);
  if (documents) return ["Documents", () => documentsPage(documents[1] ?? "")];
  const dated = /^document-(\d+)$/.exec(hash);
  if (dated && Number(dated[1]) < data.dated.length) return [data.dated[Number(dated[1])].name, () => datedPage(Number(dated[1]))];
  if (data.groups && hash === "groups") return ["Groups", differencesPage];
  if (data.dating && hash === "dating") return ["When was it written?", datingPage];
  if (hash === "about") return ["The model", aboutPage];
  return ["", overviewPage];
}

// The page of the menu that an address belongs to; a word's belongs to none.
function menuOf(hash) {
  if (hash === "about") return "#about";
  if (data.groups && hash === "groups") return "#groups";
  if (data.dating && hash === "dating") return "#dating";
  if (archive && /^documents(\?|$)|^document-/.test(hash)) return "#documents";
  return /^word-/.test(hash) ? null : "#overview";
}

function plainText(encoded) {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

function go(first) {
  const hash = location.hash.slice(1);
  const main = document.getElementById("main");
  if (hash === "main") return main.focus();
  const [title, build] = pageOf(hash);
  main.replaceChildren(...build().filter(Boolean));
  document.title = title ? `${title} · ${data.title}` : data.title;
  for (const link of document.querySelectorAll(".masthead nav a")) {
    if (link.hash === menuOf(hash)) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (first) return;
  window.scrollTo(0, 0);
  const heading = main.querySelector("h1");
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

if (!data.groups) document.querySelector('nav a[href="#groups"]').remove();
if (!archive) document.querySelector('nav a[href="#documents"]').remove();
if (!data.dating) document.querySelector('nav a[href="#dating"]').remove();
startSearch();
window.addEventListener("hashchange", () => go(false));
go(true);
