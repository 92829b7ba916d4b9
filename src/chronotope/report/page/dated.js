// A document whose date is known roughly: #document-3, when it was probably written.

const pageOfDated = new Map(archive ? archive.dated : []); // numbers of documents that can be searched, and of their pages
const foundNumber = new Map([...pageOfDated].map(([d, i]) => [i, d]));

// The distribution of a document's date over the candidate times; they sum to 1.
function massOf({ start, curve }) {
  const q = Uint8Array.from(atob(curve), (c) => c.charCodeAt(0));
  const total = q.reduce((sum, n) => sum + n, 0);
  return data.candidates.times.map((_, c) => (q[c - start] ?? 0) / total);
}

const datedSentence = (dated) => `${bestName(dated)}; 80% ${intervalName(dated.interval)}`;

// A link from a document to its page.
const datedLink = (i) => el("a", { href: `#document-${i}` }, `probably ${bestName(data.dated[i])}`);

function datedPage(i) {
  const dated = data.dated[i];
  const mass = massOf(dated);
  const d = foundNumber.get(i);
  const bars = Object.hasOwn(data.bars, dated.date) ? data.bars[dated.date] : [];
  const chart = dateChart({
    title: `When “${dated.name}” was probably written`,
    caption: `The distribution of its date, the 80% interval shaded.${bars.length ? " The bar on the axis is what is known of it." : ""}`,
    file: `document-${i}-date`,
    dated: () => ({ ...dated, mass }),
    bars,
  });
  return [
    el("p", { class: "kicker" }, "Document with a rough date"),
    el("h1", {}, dated.name),
    el("p", { class: "standfirst" }, dated.date === "unknown" ? "Its date is not known." : `Its date is known roughly: ${dated.date}.`),
    el("section", { "aria-labelledby": "probably" }, el("h2", { id: "probably" }, "When it was probably written"), el("p", { class: "dated" }, datedSentence(dated)), chart),
    dated.words && dated.words.length ? el("section", { "aria-labelledby": "reasons" }, el("h2", { id: "reasons" }, "The words that say most"), el("p", { class: "note" }, TELLING_NOTE), wordsFor(dated.words)) : null,
    el("section", { "aria-labelledby": "itself" }, el("h2", { id: "itself" }, "The document"), d === undefined ? el("p", {}, sourceLink(dated.name, dated.link)) : foundCard(d, [], null)),
  ];
}

const TELLING_NOTE = "What each word adds to the log-probability of the most probable date, less its mean over all dates.";
