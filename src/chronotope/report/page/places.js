// Places on a topic's page: a map of its share or of a word at the slider's date, and the same numbers as a table.

const SHARE = -1; // what is on the map when it is no word

const placeTime = (t) => argmax(data.places.times.map((at) => -Math.abs(TIMES[at] - TIMES[t])));
const placeDate = (i) => data.labels[data.places.times[i]];

// What is known of topic k in each place: of its share, and of its words.
function placesOf(k) {
  const topic = data.topics[k].places;
  const { names, times, reach } = data.places;
  const [S, T, W] = [names.length, times.length, topic.words.length];
  const level = levelsOf(`places of ${k}`, topic, S + 1, T, W);
  const name = `apart by place of ${k}`;
  if (!unpacked.has(name)) unpacked.set(name, decode(topic.apart));
  const apart = unpacked.get(name);
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const all = (s, i) => sum(data.topics.map(({ places }) => places.tokens[s][i]));
  const totals = names.map((_, s) => times.map((_, i) => all(s, i)));
  return {
    tokens: (s, i) => totals[s][i],
    most: Math.max(1, ...totals.flat()),
    share: (s, i) => {
      const overall = sum(topic.tokens.map((own) => own[i])) / Math.max(1, sum(totals.map((own) => own[i])));
      const mean = totals[s][i] ? topic.tokens[s][i] / totals[s][i] : 0;
      return { mean, overall, ratio: [mean / Math.max(overall, 1e-9)], sure: false };
    },
    word: (s, i, w) => {
      const [here, everywhere] = [level(s, i, w), level(S, i, w)];
      const { ratio, chance } = ratioOf(here.level - everywhere.level, signed(apart[(s * T + i) * W + w], topic.scales[1]), reach);
      return { ...bandOf(here, reach), overall: everywhere.mean, ratio, chance, sure: ratio[1] > 1 || ratio[2] < 1 };
    },
  };
}

function placesView(k) {
  const topic = data.topics[k].places;
  if (!topic) return { show: () => {}, node: null };
  const known = placesOf(k);
  const state = { word: SHARE, at: argmax(data.places.documents), time: 0 };
  const found = (s) => (state.word === SHARE ? known.share(s, state.time) : known.word(s, state.time, state.word));
  const what = el("select", { id: "on-map", onchange: () => ((state.word = Number(what.value)), show()) });
  what.append(el("option", { value: SHARE }, "share of the topic"));
  topic.words.forEach((v, w) => what.append(el("option", { value: w }, `word: ${wordOf(v)}`)));
  const heading = el("span", { class: "when" });
  const sentence = el("p", { class: "note", "aria-live": "polite" });
  const map = placesMap(k, known, state, found);
  const table = placesTable(known, state, found);
  const show = () => {
    heading.textContent = LAST ? ` in ${placeDate(state.time)}` : "";
    const { overall } = found(0);
    sentence.textContent = state.word === SHARE
      ? `In all places together, the topic has ${percentage(overall)} of the text. The colour is its share in a place, compared with that.`
      : `In all places, “${wordOf(topic.words[state.word])}” is ${percentage(overall)} of the topic’s words. The colour is its probability in a place, compared with that; with a strong edge where the ${data.level} interval of the ratio does not hold 1.`;
    map.update();
    table.update();
  };
  return {
    go: null,
    show: (t) => {
      state.time = placeTime(t);
      show();
    },
    node: el(
      "section",
      { "aria-labelledby": "places", class: "places" },
      el("div", { class: "row" }, el("h2", { id: "places" }, "By place", heading), el("label", { for: "on-map" }, "show ", what)),
      sentence,
      map.node,
      table.node,
    ),
  };
}

// What is said of a place: its name, its numbers and their intervals.
function placeText(k, known, state, found, s) {
  const { mean, low, high, overall, ratio, chance } = found(s);
  const tokens = `about ${whole(known.tokens(s, state.time))} words around that time`;
  const times = ratioTexts(ratio);
  if (state.word === SHARE) {
    const text = known.tokens(s, state.time) >= FEW ? `${percentage(mean)} of them are about the topic, ${times[0]} times as much as in all places (${percentage(overall)})` : "too few to count";
    return [data.places.names[s], `${tokens}: ${text}`];
  }
  return [
    data.places.names[s],
    `“${wordOf(data.topics[k].places.words[state.word])}” is ${percentage(mean)} of the topic’s words (${percentage(low)} to ${percentage(high)})`,
    `${times[0]} times as often as in all places (${times[1]} to ${times[2]}); more often with a probability of ${chanceText(chance)}`,
    tokens,
  ];
}

// The numbers on the map, in order from north to south, for those who cannot see it.
function placesTable(known, state, found) {
  const body = el("tbody");
  const fillIn = () => {
    if (!node.open) return;
    body.replaceChildren(...data.places.names.map((name, s) => {
      const { mean, ratio } = found(s);
      const [times, low, high] = ratioTexts(ratio);
      return el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, whole(known.tokens(s, state.time))), el("td", {}, percentage(mean)), el("td", {}, low === undefined ? times : `${times} (${low} to ${high})`));
    }));
  };
  const node = el("details", { ontoggle: fillIn }, el("summary", {}, "The same numbers as a table"), el("table", {}, el("thead", {}, el("tr", {}, ...["place", "words around that time", "here", "times as much as in all places"].map((text) => el("th", { scope: "col" }, text)))), body));
  return { node, update: fillIn };
}
