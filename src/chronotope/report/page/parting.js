// How far two groups are apart in the words of a topic over time, and when they parted.

function divergenceView(k, known, chosen, go) {
  const { partings } = data.topics[k].wording;
  const found = () => partings[known.place(...chosen)] ?? null;
  const sentence = el("p", { class: "contrast" });
  const part = (n) => {
    const { times, divergence } = found();
    const inside = (t) => Math.min(Math.max(t, times[0]), times.at(-1));
    const value = filledIn(times, (i) => divergence[n][i]);
    return (t) => value(inside(t));
  };
  const paint = (svg, width, height) => {
    const { divergence, probability, when } = found();
    const curve = { share: divergence[0], high: divergence[2] };
    const box = axes(svg, width, height, Math.max(0.02, topOf([curve])) * 1.15, { unit: (value) => String(Number(value.toPrecision(3))) });
    if (probability >= 0.5) svg.append(whenParted(box, when));
    const [middle, low, high] = [0, 1, 2].map(part);
    svg.append(draw("path", { class: "under", d: areaPaths(overTime(box, high), overTime(box, low)) }), draw("path", { class: "over", d: linePaths(overTime(box, middle)) }));
    hairline(svg, box, { go: go() });
  };
  const chart = figure({
    title: `How far two groups are apart in topic ${k}`,
    caption: `Divergence in bits, ${data.level} band.`,
    height: 220,
    paint: (...given) => found() && paint(...given),
    rows: () => [["time", "date", "divergence", "low", "high"], ...(found()?.times ?? []).map((t, i) => [TIMES[t], data.labels[t], ...found().divergence.map((row) => row[i])])],
    file: `topic-${k}-divergence`,
  });
  const node = el("div", {}, el("div", { class: "row" }, el("h3", {}, "How far they are apart")), chart, el("p", { class: "note" }, data.wording.partingsNote));
  return {
    node,
    sentence,
    show: () => {
      sentence.textContent = partingSentence(found(), chosen.map(nameOfSide));
      node.hidden = !found();
      if (chart.isConnected && found()) chart.redraw();
    },
  };
}

// The time of the parting with its interval, behind the curve.
function whenParted(box, [middle, low, high]) {
  const [x, left, right] = [middle, low, high].map((time) => round(Math.min(Math.max(box.x(time), box.left), box.right)));
  const height = round(box.bottom - box.top);
  return draw("g", {},
    draw("rect", { class: "parted", x: left, y: box.top, width: Math.max(2, right - left), height }),
    draw("line", { class: "parted", x1: x, x2: x, y1: box.top, y2: box.bottom }),
    draw("text", { class: "tick", x: Math.min(Math.max(x, box.left + 24), box.right - 24), y: box.top - 5, "text-anchor": "middle" }, "parted"));
}

function partingSentence(parting, [a, b]) {
  if (!parting) return "";
  const { probability, dates: [middle, low, high] } = parting;
  const chance = `The probability that “${a}” and “${b}” parted in the words of this topic is ${chanceText(probability)}`;
  if (probability < 0.5) return `${chance}: ${probability < 0.05 ? "what sets them apart" : "most likely, what sets them apart"} was there from the start, comes and goes, or grew less.`;
  return `${chance}: if so, ${low === high ? `in ${middle}` : `about ${middle}, between ${low} and ${high} (90% interval)`}.`;
}
