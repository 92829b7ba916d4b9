// A topic's words: ranked at the slider's date, and as curves with their bands.

const MOST_CURVES = 7;
const RANKED = 12;
const LITTLE = 0.005; // share of the text under which a topic says little about its words

function wordsView(k, word) {
  const topic = data.topics[k];
  const curves = curvesOf(k);
  const shown = []; // words with a curve, one a colour; null where a colour is free
  const logarithmic = { on: false };
  let turn = 0;
  const asked = topic.words.findIndex((v) => wordOf(v) === word);
  for (const w of asked >= 0 ? [asked, ...topic.telling.filter((w) => w !== asked)].slice(0, MOST_CURVES) : topic.telling) shown.push(w);
  const toggle = (w) => {
    const place = shown.indexOf(w);
    const free = shown.indexOf(null);
    if (place >= 0) shown[place] = null;
    else if (free >= 0) shown[free] = w;
    else if (shown.length < MOST_CURVES) shown.push(w);
    else shown[turn++ % MOST_CURVES] = w; // another gives way
    view.show(now);
  };
  const ranking = rankingList(k, curves, shown, toggle);
  const chart = curvesChart(k, curves, shown, logarithmic, () => view.go);
  const scale = el("input", { type: "checkbox", id: "log", onchange: () => ((logarithmic.on = scale.checked), chart.redraw()) });
  const view = {
    go: null,
    choose: (words) => {
      const found = words.map((v) => topic.words.indexOf(v)).filter((w) => w >= 0);
      if (found.length) shown.splice(0, shown.length, ...found.slice(0, MOST_CURVES));
    },
    show: (t) => {
      ranking.show(t);
      if (chart.isConnected) chart.redraw();
    },
    node: el(
      "section",
      { class: "words", "aria-labelledby": "words" },
      el("div", { class: "ranking" }, el("h2", { id: "words" }, "Its words ", ranking.when), ranking.node, ranking.note),
      el("div", {}, el("div", { class: "row" }, el("h2", {}, "How they changed"), el("label", { for: "log" }, scale, " logarithmic")), chart),
    ),
  };
  return view;
}

// The first words at a date, in order, each a button that draws or takes away its curve.
function rankingList(k, curves, shown, toggle) {
  const topic = data.topics[k];
  const n = Math.min(RANKED, topic.exact, topic.words.length);
  const node = el("ol", { class: "ranks" });
  const when = el("span", { class: "when" });
  const note = el("p", { class: "note" });
  const items = new Map();
  const show = (t) => {
    const ranked = topic.words.map((v, w) => [curves.mean(w, t), w]).sort((a, b) => b[0] - a[0]).slice(0, n);
    const longest = Math.max(...ranked.map(([, w]) => curves.high(w, t)));
    const before = new Map([...node.children].map((item) => [item, item.offsetTop]));
    const focused = document.activeElement;
    node.replaceChildren(
      ...ranked.map(([mean, w]) => {
        if (!items.has(w)) items.set(w, rankItem(wordOf(topic.words[w]), () => toggle(w)));
        const item = items.get(w);
        item.update(mean, curves.low(w, t), curves.high(w, t), longest, shown.indexOf(w));
        return item.node;
      }),
    );
    if (node.contains(focused)) focused.focus({ preventScroll: true });
    glide(node, before);
    when.textContent = LAST ? `in ${data.labels[t]}` : "";
    const share = topic.shares[t];
    note.textContent = share < LITTLE
      ? `The topic has only ${percent(share)} of the text here: what the model believes about its words comes mostly from other times.`
      : `The bars are probabilities in the topic, the thin lines ${data.level} credible intervals. A word's button draws its curve.`;
  };
  return { node, when, note, show };
}

function rankItem(word, onclick) {
  const bar = el("span", { class: "bar" });
  const band = el("span", { class: "band" });
  const number = el("span", { class: "value" });
  const button = el("button", { type: "button", onclick }, el("span", { class: "word" }, word), el("span", { class: "track" }, bar, band), number);
  return {
    node: el("li", {}, button),
    update: (mean, low, high, longest, colour) => {
      const wide = (p) => `${(100 * p) / longest}%`;
      bar.style.width = wide(mean);
      band.style.left = wide(low);
      band.style.width = wide(high - low);
      number.textContent = percent(mean);
      button.className = colour >= 0 ? `on c${colour}` : "";
      button.setAttribute("aria-pressed", String(colour >= 0));
      button.title = `${word}: ${percent(mean)}, ${data.level} interval ${percent(low)} to ${percent(high)}`;
    },
  };
}

// Let moved rows slide to their new places.
function glide(node, before) {
  if (still()) return;
  for (const item of node.children) {
    const from = before.get(item);
    if (from !== undefined && from !== item.offsetTop)
      item.animate([{ transform: `translateY(${from - item.offsetTop}px)` }, { transform: "none" }], { duration: 180, easing: "ease-out" });
  }
}

// A ground of grey where the topic has little text.
function thinly(box, shares) {
  const rects = [];
  const thin = (t) => WRITTEN[t] && shares[t] < LITTLE;
  for (let t = 0; t < LAST; t++) {
    if (!thin(t)) continue;
    const from = t;
    while (t < LAST && thin(t + 1)) t++;
    const x = box.x(TIMES[from]);
    rects.push(draw("rect", { class: "thin", x: round(x), y: box.top, width: round(box.x(TIMES[t]) - x), height: round(box.bottom - box.top) }));
  }
  return rects;
}

function curvesChart(k, curves, shown, logarithmic, go) {
  const topic = data.topics[k];
  const drawn = () => shown.map((w, c) => [w, c]).filter(([w]) => w !== null);
  const peakOf = (w) => argmax(TIMES.map((_, t) => (WRITTEN[t] ? curves.mean(w, t) : -1)));
  const paint = (svg, width, height) => {
    const highest = Math.max(1e-6, ...drawn().map(([w]) => curves.mean(w, peakOf(w))));
    const box = axes(svg, width, height, logarithmic.on ? highest * 2 : highest * 1.3, { least: logarithmic.on ? Math.min(5e-4, highest / 10) : null });
    svg.append(...thinly(box, topic.shares));
    const bands = draw("g");
    const lines = draw("g");
    for (const [w, c] of drawn()) {
      bands.append(draw("path", { class: `ribbon c${c}`, d: areaPaths(overTime(box, (t) => curves.high(w, t)), overTime(box, (t) => curves.low(w, t))) }));
      lines.append(draw("path", { class: `line c${c}`, d: linePaths(overTime(box, (t) => curves.mean(w, t))) }));
    }
    svg.append(bands, lines);
    labelPeaks(svg, box, drawn().map(([w, c]) => {
      const t = peakOf(w);
      return { x: LAST ? box.x(TIMES[t]) : box.right, y: box.y(curves.mean(w, t)), text: wordOf(topic.words[w]), style: `c${c}` };
    }));
    hairline(svg, box, { go: go() });
  };
  const row = ([w]) => WHEN.map((t) => [wordOf(topic.words[w]), TIMES[t], data.labels[t], curves.mean(w, t), curves.low(w, t), curves.high(w, t)]);
  return figure({
    title: `Words of topic ${k}: ${nameOf(k)}`,
    caption: `Probability in the topic, ${data.level} bands; on grey, it has little text.`,
    height: 400,
    paint,
    rows: () => [["word", "time", "date", "mean", "low", "high"], ...drawn().flatMap(row)],
    file: `topic-${k}-words`,
  });
}
