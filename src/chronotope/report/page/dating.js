// The page that says when a text was written which its readers put in: #dating. The text stays there.

const REASONS = 8; // words for a date, and words against it
const PAUSE = 250; // milliseconds after typing
const DATING_NOTE = "This page asks the words alone. In Python, the model also asks how its topics changed.";

function datingPage() {
  const answer = el("div", { class: "answer" });
  const status = el("p", { class: "dated", role: "status" });
  const input = el("textarea", { id: "undated", rows: 8, spellcheck: "false", oninput: () => (clearTimeout(timer), (timer = setTimeout(update, PAUSE))) });
  let timer = null;
  const update = () => {
    const { counts, known, words } = countsOf(input.value);
    answer.replaceChildren();
    status.textContent = "";
    if (!input.value.trim()) return;
    const weighed = weightsOfWords(counts);
    const dated = datedBy(massOfWords(weighed));
    status.textContent = known ? `Most probably ${bestName(dated)}` : "The model knows none of its words, so it cannot say.";
    answer.append(el("p", { class: "note" }, knownSentence(known, words)));
    if (known) answer.append(...datedViews(dated, weighed));
  };
  return [
    el("h1", {}, "When was it written?"),
    el("p", { class: "standfirst" }, "Paste a text: its words say when it was probably written. It stays in this page, and is sent nowhere."),
    el("div", { class: "paste" }, el("label", { for: "undated" }, "The text"), input),
    el("section", { "aria-label": "When it was written" }, status, answer),
    el("p", { class: "note" }, DATING_NOTE),
  ];
}

function knownSentence(known, words) {
  const how = data.dating.tokens.how === "runs" ? " It was fitted on words that are found in another way, so some may be missed." : "";
  return `The model knows ${whole(known)} of its ${whole(words)} ${words === 1 ? "word" : "words"}.${how}`;
}

// Intervals, the distribution, and the words for and against the most probable date.
function datedViews(dated, weighed) {
  const most = dated.intervals[1];
  const chart = dateChart({
    title: "When the text was probably written",
    caption: `The distribution of its date, the ${most.name} interval shaded.`,
    file: "date-of-text",
    dated: () => ({ ...dated, interval: most.interval }),
  });
  const parts = partsOfWords(weighed, dated.mass).filter(([, weight]) => weight !== 0);
  const telling = [...parts.filter(([, weight]) => weight > 0).slice(0, REASONS), ...parts.filter(([, weight]) => weight < 0).slice(-REASONS)];
  return [
    el("dl", { class: "intervals" }, ...dated.intervals.flatMap(({ name, interval }) => [el("dt", {}, name), el("dd", {}, intervalName(interval))])),
    chart,
    el("h2", {}, "The words that say most"),
    el("p", { class: "note" }, TELLING_NOTE),
    wordsFor(telling),
  ];
}
