// Groups of documents in a topic: the curves of any two, and how they differ at the slider's date.

let compared = null; // the two groups that the reader chose, kept from topic to topic

const PAIRS = data.groups ? data.groups.names.flatMap((_, a, names) => names.slice(a + 1).map((_, i) => [a, a + 1 + i])) : [];
const quoted = (g) => `“${data.groups.names[g]}”`;
const percentage = (p) => (p < 0.01 ? percent(p) : `${(100 * p).toFixed(1)}%`);

// A difference in percentage points with its interval, and a ratio with its own.
function pointTexts(difference) {
  const digits = Math.max(...difference.map(Math.abs)) < 0.01 ? 2 : 1;
  return difference.map((share) => (100 * share).toFixed(digits).replace(/^-(?=.*[1-9])/, "−").replace("-", ""));
}

const ratioTexts = (ratio) => ratio.map((times) => (times < 10 ? times.toPrecision(2) : whole(times)));

// Of some hundred draws: nothing is certain.
function chanceText(p) {
  if (p >= 0.995) return "more than 99%";
  return p <= 0.005 ? "less than 1%" : `${Math.round(100 * p)}%`;
}

// The prevalence of a topic in group g: median, low and high at every time with documents.
function groupCurve(k, g) {
  const name = `groups of ${k}`;
  if (!unpacked.has(name)) unpacked.set(name, decode(data.topics[k].groups.curves));
  const [q, G] = [unpacked.get(name), data.groups.names.length];
  const [share, low, high] = [0, 1, 2].map((part) => {
    const values = TIMES.map(() => null);
    WHEN.forEach((t, i) => (values[t] = probability(q[(part * G + g) * WHEN.length + i])));
    return values;
  });
  return { share, low, high };
}

// How much more group a wrote about a topic than group b, at the time of contrasts that is nearest to a time.
function contrastOf(k, a, b, t) {
  const { table, difference, ratio } = data.topics[k].groups.contrasts;
  const name = `contrasts of ${k}`;
  if (!unpacked.has(name)) unpacked.set(name, decode(table));
  const [q, times] = [unpacked.get(name), data.groups.times];
  const i = argmax(times.map((at) => -Math.abs(TIMES[at] - TIMES[t])));
  const pair = PAIRS.findIndex(([one, other]) => one === Math.min(a, b) && other === Math.max(a, b));
  const part = (n) => q[(n * times.length + i) * PAIRS.length + pair] / 65535;
  const signed = (n, most) => (a < b ? [n, n + 1, n + 2] : [n, n + 2, n + 1]).map((place) => (a < b ? 1 : -1) * most * (2 * part(place) - 1));
  return {
    at: times[i],
    probability: a < b ? part(0) : 1 - part(0),
    difference: signed(1, difference),
    ratio: signed(4, ratio).map(Math.exp),
  };
}

function contrastSentence(k, [a, b], t) {
  const { at, probability, difference, ratio } = contrastOf(k, a, b, t);
  const [one, other] = [a, b].map((g) => percentage(groupCurve(k, g).share[at]));
  const [times, fewest, most] = ratioTexts(ratio);
  const [points, low, high] = pointTexts(difference);
  return [
    `${LAST ? `In ${data.labels[at]}, a` : "A"} document of ${quoted(a)} is expected to be ${one} about the topic, one of ${quoted(b)} ${other}.`,
    `That is ${times} times as much (${data.level} interval ${fewest} to ${most}), a difference of ${points} percentage points (${low} to ${high}).`,
    `The probability that ${quoted(a)} wrote more is ${chanceText(probability)}.`,
  ].join(" ");
}

function groupsView(k) {
  const { groups } = data.topics[k];
  if (!groups) return { show: () => {}, node: null };
  const chosen = compared ?? [groups.most, groups.least];
  const sentence = el("p", { class: "contrast" });
  const chart = groupsChart(k, chosen, () => view.go);
  const say = (live) => {
    sentence.setAttribute("aria-live", live);
    sentence.textContent = contrastSentence(k, chosen, now);
  };
  const menus = groupMenus(chosen, () => {
    compared = [...chosen];
    say("polite");
    chart.redraw();
  });
  const view = {
    go: null,
    show: () => {
      say("off"); // the slider says its date
      if (chart.isConnected) chart.redraw();
    },
    node: el("section", { "aria-labelledby": "groups-compared" }, el("h2", { id: "groups-compared" }, "Groups compared"), menus, chart, sentence),
  };
  return view;
}

// Two menus; who chooses the same group twice has the two exchanged.
function groupMenus(chosen, update) {
  const menus = chosen.map((g, i) => {
    const menu = el("select", { id: `group-${i}`, onchange: () => choose(i, Number(menu.value)) });
    data.groups.names.forEach((name, other) => menu.append(el("option", { value: other, selected: other === g }, name)));
    return menu;
  });
  const choose = (i, g) => {
    if (chosen[1 - i] === g) chosen[1 - i] = chosen[i];
    chosen[i] = g;
    menus.forEach((menu, n) => (menu.value = chosen[n]));
    update();
  };
  const labels = menus.map((menu, i) => el("label", { for: menu.id }, el("span", { class: `swatch c${i}` }), el("span", { class: "what" }, i ? "with" : "Compare"), menu));
  return el("div", { class: "compare", role: "group", "aria-label": "Groups to compare" }, labels);
}

function groupsChart(k, chosen, go) {
  const paint = (svg, width, height) => {
    const curves = chosen.map((g) => groupCurve(k, g));
    const box = axes(svg, width, height, topOf(curves) * 1.15 || 1);
    const bands = curves.map(({ low, high }, c) => draw("path", { class: `ribbon c${c}`, d: areaPaths(overTime(box, (t) => high[t]), overTime(box, (t) => low[t])) }));
    const lines = curves.map(({ share }, c) => draw("path", { class: `line c${c}`, d: linePaths(overTime(box, (t) => share[t])) }));
    svg.append(...bands, ...lines);
    labelPeaks(svg, box, curves.map(({ share }, c) => {
      const t = argmax(share);
      return { x: LAST ? box.x(TIMES[t]) : box.right, y: box.y(share[t]), text: shortName(chosen[c]), style: `c${c}` };
    }));
    hairline(svg, box, { go: go() });
  };
  const row = (g, { share, low, high }) => WHEN.map((t) => [data.groups.names[g], TIMES[t], data.labels[t], share[t], low[t], high[t]]);
  return figure({
    title: `Prevalence of topic ${k} in two groups`,
    caption: data.groups.note,
    height: 240,
    paint,
    rows: () => [["group", "time", "date", "share", "low", "high"], ...chosen.flatMap((g) => row(g, groupCurve(k, g)))],
    file: `topic-${k}-groups`,
  });
}

const shortName = (g) => (data.groups.names[g].length > 30 ? `${data.groups.names[g].slice(0, 29)}…` : data.groups.names[g]);
