// Two groups side by side on a topic's page: their words at the slider's date, and the words that part them.

let opposed = null; // the two groups that the reader chose, kept from topic to topic

const SIDE = 10; // words of a group in a list
const SURE = 0.9;

// P(Z < z) of a normal variable, by the formula 26.2.17 of Abramowitz and Stegun: an error of 1e-7 at most.
function normalChance(z) {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const tail = 0.3989422804 * Math.exp((-z * z) / 2) * t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return z > 0 ? 1 - tail : tail;
}

// Words of a topic on S tracks at some times: logarithms of probabilities with their spread.
function levelsOf(name, { rate, spread, scales }, S, T, W) {
  if (!unpacked.has(name)) unpacked.set(name, { rate: decode(rate), spread: decode(spread) });
  const q = unpacked.get(name);
  const at = (s, i, w) => (s * T + i) * W + w;
  return (s, i, w) => {
    const sd = signed(q.spread[at(s, i, w)], scales[0]);
    const mean = probability(q.rate[at(s, i, w)]) || data.floor;
    return { mean, sd, level: Math.log(mean) - (sd * sd) / 2 };
  };
}

const signed = (q, reach) => reach * ((2 * q) / 65535 - 1);
const bandOf = ({ mean, level, sd }, reach) => ({ mean, low: Math.min(mean, Math.exp(level - reach * sd)), high: Math.min(1, Math.max(mean, Math.exp(level + reach * sd))) });

// A ratio with its interval and the probability that it is above 1, from the mean and the spread of its logarithm.
const ratioOf = (mean, sd, reach) => ({ ratio: [mean, mean - reach * sd, mean + reach * sd].map(Math.exp), chance: normalChance(mean / Math.max(sd, 1e-9)) });

// The words of topic k in all groups.
function wordingOf(k) {
  const [topic, { names, pairs, times, reach }] = [data.topics[k].wording, data.wording];
  const [T, W] = [times.length, topic.words.length];
  const level = levelsOf(`wording of ${k}`, topic, names.length, T, W);
  const name = `apart of ${k}`;
  if (!unpacked.has(name)) unpacked.set(name, decode(topic.apart));
  const apart = unpacked.get(name);
  const place = (a, b) => pairs.findIndex(([one, other]) => one === Math.min(a, b) && other === Math.max(a, b));
  return {
    band: (g, i, w) => bandOf(level(g, i, w), reach),
    ratio: (a, b, i, w) => ratioOf(level(a, i, w).level - level(b, i, w).level, signed(apart[(place(a, b) * T + i) * W + w], topic.scales[1]), reach),
    place,
  };
}

// The time of wordings that is nearest to a time of the report, and its number.
const wordingTime = (t) => argmax(data.wording.times.map((at) => -Math.abs(TIMES[at] - TIMES[t])));
const wordingDate = (i) => data.labels[data.wording.times[i]];

// A group's partner: of many groups, each is compared with what all of them share.
const partners = (a) => data.wording.pairs.flatMap(([one, other]) => (one === a ? [other] : other === a ? [one] : []));

function wordingView(k) {
  const topic = data.topics[k].wording;
  if (!topic) return { show: () => {}, node: null };
  const known = wordingOf(k);
  const chosen = [...(opposed ?? data.wording.first)];
  const state = { word: null };
  const lists = [0, 1].map((side) => sideList(k, known, chosen, side, state, (w) => choose(w)));
  const parting = partingTable(k, known, chosen, state, (w) => choose(w));
  const curve = twoCurves(k, known, chosen, state, () => view.go);
  const divergence = divergenceView(k, known, chosen, () => view.go);
  const choose = (w) => {
    state.word = w;
    word.value = String(w);
    refresh();
  };
  const word = el("select", { id: "wording-word", onchange: () => choose(Number(word.value)) });
  [...topic.words.keys()].sort((a, b) => wordOf(topic.words[a]).localeCompare(wordOf(topic.words[b]))).forEach((w) => word.append(el("option", { value: w }, wordOf(topic.words[w]))));
  const menus = wordingMenus(chosen, () => {
    opposed = [...chosen];
    state.word = null;
    refresh();
  });
  const refresh = () => {
    const i = wordingTime(now);
    if (state.word === null) {
      state.word = parting.first(i);
      word.value = String(state.word);
    }
    for (const part of [...lists, parting]) part.show(i);
    divergence.show();
    if (curve.isConnected) curve.redraw();
  };
  const view = {
    go: null,
    show: refresh,
    node: el(
      "section",
      { "aria-labelledby": "wording", class: "wording" },
      el("h2", { id: "wording" }, "Two groups side by side"),
      el("p", { class: "note" }, data.wording.note, data.groups ? [" How much each wrote about the topics: ", el("a", { href: "#groups" }, "Groups"), "."] : null),
      menus,
      divergence.sentence,
      el("div", { class: "sides two" }, ...lists.map(({ node }) => node)),
      parting.node,
      el("div", { class: "sides" },
        divergence.node,
        el("div", {}, el("div", { class: "row" }, el("h3", {}, "One word in both"), el("label", { for: "wording-word" }, "word ", word)), curve)),
    ),
  };
  return view;
}

// Two menus: the second has the partners of the first; who chooses the second in the first has the two exchanged.
function wordingMenus(chosen, update) {
  const { names } = data.wording;
  const menus = chosen.map((_, side) => el("select", { id: `wording-${side}`, onchange: () => choose(side, Number(menus[side].value)) }));
  const list = () => menus.forEach((menu, side) => {
    const shown = side ? partners(chosen[0]) : [...names.keys()];
    menu.replaceChildren(...shown.map((g) => el("option", { value: g, selected: g === chosen[side] }, names[g])));
  });
  const choose = (side, g) => {
    if (chosen[1 - side] === g) chosen[1 - side] = chosen[side];
    chosen[side] = g;
    if (!partners(g).includes(chosen[1 - side])) chosen[1 - side] = partners(g)[0];
    list();
    update();
  };
  list();
  const labels = menus.map((menu, side) => el("label", { for: menu.id }, el("span", { class: `swatch c${side}` }), el("span", { class: "what" }, side ? "with" : "Compare"), menu));
  return el("div", { class: "compare", role: "group", "aria-label": "Groups whose words are compared" }, labels);
}

// The first words of a group at a date, each a button that draws its curve in both groups.
function sideList(k, known, chosen, side, state, choose) {
  const topic = data.topics[k].wording;
  const n = Math.min(SIDE, topic.words.length);
  const list = el("ol", { class: `ranks side c${side}` });
  const heading = el("h3", {});
  const note = el("p", { class: "note" });
  const items = new Map();
  const show = (i) => {
    const g = chosen[side];
    const bands = topic.words.map((_, w) => [known.band(g, i, w), w]).sort((a, b) => b[0].mean - a[0].mean).slice(0, n);
    const longest = Math.max(...bands.map(([band]) => band.high));
    const focused = document.activeElement;
    list.replaceChildren(...bands.map(([band, w]) => {
      if (!items.has(w)) items.set(w, rankItem(wordOf(topic.words[w]), () => choose(w)));
      items.get(w).update(band.mean, band.low, band.high, longest, state.word === w ? side : -1);
      return items.get(w).node;
    }));
    if (list.contains(focused)) focused.focus({ preventScroll: true });
    heading.replaceChildren(el("span", { class: `swatch c${side}` }), nameOfSide(g), LAST ? el("span", { class: "when" }, ` in ${wordingDate(i)}`) : "");
    const tokens = topic.tokens[g][i];
    note.textContent = tokens < 50 ? `Only about ${whole(tokens)} words of this topic are of that time: the list comes mostly from other times${g === chosen[side] ? " and groups" : ""}.` : `From about ${whole(tokens)} words of this topic around that time.`;
  };
  return { node: el("div", {}, heading, list, note), show };
}

const nameOfSide = (g) => data.wording.names[g];

// Words that one group has more often than the other, surest first, with ratio, interval and probability.
function partingTable(k, known, chosen, state, choose) {
  const topic = data.topics[k].wording;
  const heading = el("h3", {});
  const note = el("p", { class: "note" });
  const sides = [0, 1].map((side) => ({ body: el("tbody"), caption: el("caption", {}), side }));
  const ranked = (i, side) => {
    const [a, b] = side ? [chosen[1], chosen[0]] : chosen;
    return topic.words
      .map((_, w) => ({ w, ...known.ratio(a, b, i, w), often: known.band(a, i, w).mean - known.band(b, i, w).mean }))
      .map((row) => ({ ...row, part: row.often * Math.log(row.ratio[0]) }))
      .filter(({ w, chance }) => chance >= SURE && topic.carried[a].includes(w))
      .sort((one, other) => other.part - one.part)
      .slice(0, 8);
  };
  const show = (i) => {
    heading.replaceChildren("Words that part them", LAST ? el("span", { class: "when" }, ` in ${wordingDate(i)}`) : "");
    const found = sides.map(({ side }) => ranked(i, side));
    const most = Math.max(2, ...found.flat().map(({ ratio }) => ratio[2]));
    sides.forEach(({ body, caption, side }) => {
      caption.replaceChildren(el("span", { class: `swatch c${side}` }), `more often in ${nameOfSide(chosen[side])}`);
      const rows = found[side].map((row) => partingRow(topic, row, side, Math.min(most, 1000), state.word === row.w, () => choose(row.w)));
      body.replaceChildren(...(rows.length ? rows : [el("tr", {}, el("td", { colspan: 4, class: "none" }, "no word with a probability of 90%"))]));
    });
  };
  const tables = sides.map(({ body, caption, side }) => el("table", { class: `parting c${side}` }, caption, el("thead", {}, el("tr", {}, ...["word", "", "times as often", "probability"].map((text) => (text ? el("th", { scope: "col" }, text) : el("td", { class: "reach" }))))), body));
  note.textContent = `How many times as often a word is in the topic in one group as in the other, with ${data.level} intervals, and the probability that it is more often there. Only words with a probability of at least 90%, first those that are both frequent and far apart.`;
  return {
    node: el("div", { class: "parts" }, heading, note, el("div", { class: "sides" }, ...tables), el("p", { class: "take" }, el("button", { type: "button", "aria-label": "Numbers of the words of both groups as CSV", onclick: () => saveCsv(`topic-${k}-groups-words`, wordingRows(k, known, chosen)) }, "CSV"))),
    show,
    first: (i) => ranked(i, 0)[0]?.w ?? ranked(i, 1)[0]?.w ?? 0,
  };
}

function partingRow(topic, { w, ratio, chance }, side, most, on, onclick) {
  const word = wordOf(topic.words[w]);
  const [middle, low, high] = ratioTexts(ratio);
  return el("tr", { class: on ? "on" : "" },
    el("th", { scope: "row" }, el("button", { type: "button", class: "word", "aria-pressed": String(on), onclick }, word)),
    el("td", { class: "reach", "aria-hidden": "true" }, ratioBar(ratio, most)),
    el("td", {}, `${middle} (${low} to ${high})`),
    el("td", {}, chanceText(chance)));
}

// A ratio with its interval on a logarithmic scale from 1.
function ratioBar(ratio, most) {
  const at = (value) => `${(100 * Math.min(Math.max(Math.log(value), 0), Math.log(most))) / Math.log(most)}%`;
  const [bar, band] = ["bar", "band"].map((name) => el("span", { class: name }));
  bar.style.width = at(ratio[0]);
  band.style.left = at(ratio[1]);
  band.style.width = `calc(${at(ratio[2])} - ${at(ratio[1])})`;
  return el("span", { class: "track" }, bar, band);
}

function wordingRows(k, known, [a, b]) {
  const { words } = data.topics[k].wording;
  const { names, times } = data.wording;
  const line = (w, i) => {
    const [one, other, { ratio, chance }] = [known.band(a, i, w), known.band(b, i, w), known.ratio(a, b, i, w)];
    return [wordOf(words[w]), TIMES[times[i]], data.labels[times[i]], one.mean, one.low, one.high, other.mean, other.low, other.high, ...ratio, chance];
  };
  const banded = (name) => [name, `${name} low`, `${name} high`];
  return [["word", "time", "date", ...banded(names[a]), ...banded(names[b]), ...banded("ratio"), "probability"], ...times.flatMap((_, i) => words.map((_, w) => line(w, i)))];
}

// Values at a few times as values at all of them.
function filledIn(places, value) {
  return (t) => {
    const after = places.findIndex((at) => at >= t);
    if (after <= 0) return value(after < 0 ? places.length - 1 : 0);
    const [t0, t1] = [TIMES[places[after - 1]], TIMES[places[after]]];
    const part = (TIMES[t] - t0) / (t1 - t0);
    return (1 - part) * value(after - 1) + part * value(after);
  };
}

// A word in the two groups over time, with bands.
function twoCurves(k, known, chosen, state, go) {
  const { words } = data.topics[k].wording;
  const { times } = data.wording;
  const curve = (g, part) => filledIn(times, (i) => known.band(g, i, state.word)[part]);
  const paint = (svg, width, height) => {
    const curves = chosen.map((g) => ({ share: WHEN.map(curve(g, "mean")), high: WHEN.map(curve(g, "high")) }));
    const box = axes(svg, width, height, topOf(curves) * 1.15 || 1);
    svg.append(draw("text", { class: "heading word", x: box.left + 6, y: 13 }, wordOf(words[state.word])));
    paintTwo(svg, box, chosen.map((g) => ["mean", "low", "high"].map((part) => curve(g, part))), chosen.map(nameOfSide));
    hairline(svg, box, { go: go() });
  };
  return figure({
    title: `A word of topic ${k} in two groups`,
    caption: `Probability in the topic, ${data.level} bands.`,
    height: 220,
    paint,
    rows: () => [["word", "group", "time", "date", "mean", "low", "high"], ...chosen.flatMap((g) => times.map((t, i) => [wordOf(words[state.word]), nameOfSide(g), TIMES[t], data.labels[t], ...Object.values(known.band(g, i, state.word))]))],
    file: `topic-${k}-word-of-groups`,
  });
}

// Two lines with bands, each named at its peak.   curves : [[middle, low, high]], functions of a time's number
function paintTwo(svg, box, curves, names) {
  svg.append(
    ...curves.map(([, low, high], c) => draw("path", { class: `ribbon c${c}`, d: areaPaths(overTime(box, high), overTime(box, low)) })),
    ...curves.map(([middle], c) => draw("path", { class: `line c${c}`, d: linePaths(overTime(box, middle)) })),
  );
  labelPeaks(svg, box, curves.map(([middle], c) => {
    const t = WHEN[argmax(WHEN.map(middle))];
    return { x: LAST ? box.x(TIMES[t]) : box.right, y: box.y(middle(t)), text: names[c].length > 30 ? `${names[c].slice(0, 29)}…` : names[c], style: `c${c}` };
  }));
}
