// The model in plain words.

function aboutPage() {
  return [
    el("h1", {}, "The model"),
    el("p", { class: "standfirst" }, data.about.standfirst),
    el("section", {}, el("h2", {}, "What it believed about change"), ...data.about.prior.map((text) => el("p", {}, text)), data.about.lags.length > 1 ? memory() : null),
    el("section", {}, el("h2", {}, "How to read this report"), ...data.about.reading.map((text) => el("p", {}, text))),
    el("section", {}, el("h2", {}, "Settings and figures"), el("dl", {}, ...data.about.facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]))),
  ];
}

// How alike the prior believes a word's level is at two times some way apart.
function memory() {
  const { lags, correlation, lagTicks } = data.about;
  const paint = (svg, width, height) => {
    const box = axes(svg, width, height, 1, { ticks: lagTicks, times: lags, unit: (r) => r.toFixed(2) });
    svg.append(draw("path", { class: "line c0", d: linePath(lags.map((lag, i) => [box.x(lag), box.y(Math.max(0, correlation[i]))])) }));
  };
  return figure({
    title: "How long the prior remembers",
    caption: data.about.memoryNote,
    height: 200,
    paint,
    rows: () => [["apart", "correlation"], ...lags.map((lag, i) => [lag, correlation[i]])],
    file: "prior-memory",
  });
}
