// A map: coasts and borders, a circle for each place, and what is said of the place that is pointed at.

const EDGES = [1 / 4, 1 / 2, 1 / 1.25, 1.25, 2, 4]; // of the classes of ratios that have a colour each
const EDGE_NAMES = ["¼", "½", "0.8", "1.25", "2", "4"];
const LEGEND = 46; // height under the map
const CLOSEST = 16; // how many times closer one can go
const FEW = 20; // words from which there is a share to speak of

const classOf = (ratio) => `d${EDGES.filter((edge) => ratio >= edge).length}`;

function placesMap(k, known, state, found) {
  const { ground, at, names } = data.places;
  const tip = el("div", { class: "tip", role: "status", hidden: true });
  const tall = (width) => round((width * ground.height) / ground.width) + LEGEND;
  const radius = (s, width) => Math.max(3.5, Math.min(30, width / 22) * Math.sqrt(known.tokens(s, state.time) / known.most));
  const near = { by: 1, at: 0 }; // how much closer than the whole map, and around which place
  let circles = [];
  const paint = (svg, width, height) => {
    const [scale, bottom] = [(width * near.by) / ground.width, height - LEGEND];
    const [dx, dy] = [[width, ground.width, 0], [bottom, ground.height, 1]].map(([size, whole, i]) => Math.min(0, Math.max(size - whole * scale, size / 2 - at[near.at][i] * scale)));
    const spot = ([x, y]) => [round(x * scale + dx), round(y * scale + dy)];
    const clip = `map-${Math.round(width)}-${svg.tagName}`;
    svg.setAttribute("role", "group");
    const line = (kind) => draw("path", { class: kind, d: ground[kind], fill: "none", "vector-effect": "non-scaling-stroke" });
    const degrees = ground.netLabels.map(([x, y, text]) => [...spot([x, y]), text]).filter(([x, y]) => x >= 0 && x < width - 30 && y > 10 && y <= bottom);
    const own = names.map((_, s) => placeCircle(k, known, state, found, s, spot(at[s]), radius(s, width)));
    const order = [...own.keys()].sort((a, b) => known.tokens(b, state.time) - known.tokens(a, state.time));
    svg.append(
      draw("clipPath", { id: clip }, draw("rect", { width, height: bottom })),
      draw("rect", { class: "sea", width, height: bottom }),
      draw("g", { "clip-path": `url(#${clip})` },
        draw("g", { transform: `translate(${dx} ${dy}) scale(${scale})` }, ...["net", "states", "borders", "coast"].map(line)),
        ...degrees.map(([x, y, text]) => draw("text", { class: "tick degrees", x: x + 3, y: y - 3 }, text)),
        draw("g", {}, ...order.map((s) => own[s]))),
      ...legend(width, bottom),
    );
    return own;
  };
  const point = (s) => {
    state.at = s;
    circles.forEach((circle, other) => circle.setAttribute("tabindex", other === s ? 0 : -1));
    const [name, ...lines] = placeText(k, known, state, found, s);
    tip.replaceChildren(el("strong", {}, name), ...lines.map((text) => el("span", {}, text)));
    tip.hidden = false;
    const [canvas, circle] = [node, circles[s]].map((one) => one.getBoundingClientRect());
    const below = circle.bottom - canvas.top + 6;
    tip.style.left = `${Math.max(0, Math.min(circle.left - canvas.left, canvas.width - tip.offsetWidth))}px`;
    tip.style.top = `${below}px`;
  };
  const hide = () => (tip.hidden = true);
  const chart = figure({
    title: `Topic ${k} by place`,
    caption: data.places.note,
    height: tall,
    paint: (svg, width, height) => {
      const had = circles.indexOf(document.activeElement);
      const own = paint(svg, width, height);
      if (svg.closest(".stage") || svg.tagName !== "svg") return; // a picture to take away
      circles = own;
      listen(circles, at, point, hide, moveTo);
      circles.forEach((circle, s) => circle.setAttribute("tabindex", s === state.at ? 0 : -1));
      if (had >= 0) queueMicrotask(() => circles.includes(document.activeElement) || circles[had].focus({ preventScroll: true }));
    },
    rows: () => placeRows(k, known),
    file: `topic-${k}-places`,
  });
  const moveTo = (s) => {
    [state.at, near.at] = [s, s];
    if (near.by > 1) chart.redraw();
    circles[s].focus({ preventScroll: true });
  };
  const go = (times) => {
    [near.by, near.at] = [Math.min(CLOSEST, Math.max(1, near.by * times)), state.at];
    [closer.disabled, farther.disabled] = [near.by === CLOSEST, near.by === 1];
    hide();
    chart.redraw();
  };
  const [closer, farther] = [["closer", 2], ["farther", 0.5]].map(([text, times]) => el("button", { type: "button", disabled: times < 1, onclick: () => go(times) }, text));
  const node = el("div", { class: "map" }, chart, tip, el("p", { class: "take near" }, closer, farther));
  return {
    node,
    update: () => {
      hide();
      if (chart.isConnected) chart.redraw();
    },
  };
}

function placeCircle(k, known, state, found, s, [x, y], r) {
  const { ratio, sure } = found(s);
  const empty = state.word === SHARE && known.tokens(s, state.time) < FEW;
  return draw("circle", {
    class: `place ${empty ? "empty" : classOf(ratio[0])} ${sure ? "sure" : ""}`, cx: x, cy: y, r: round(r), tabindex: -1, role: "img",
    "aria-label": placeText(k, known, state, found, s).join("; "),
  });
}

// Places answer to pointers, touch and the arrow keys, which lead to the nearest one in their direction.
function listen(circles, at, point, hide, moveTo) {
  const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  circles.forEach((circle, s) => {
    circle.addEventListener("pointerenter", () => point(s));
    circle.addEventListener("click", () => point(s));
    circle.addEventListener("focus", () => point(s));
    circle.addEventListener("pointerleave", () => document.activeElement !== circle && hide());
    circle.addEventListener("blur", hide);
    circle.addEventListener("keydown", (event) => {
      if (event.key === "Escape") return hide();
      const way = ways[event.key];
      if (!way) return;
      event.preventDefault();
      const next = nearestTowards(at, s, way);
      if (next !== null) moveTo(next);
    });
  });
}

// The place within 45 degrees of a direction that is nearest, weighing the way aside double.
function nearestTowards(at, from, [dx, dy]) {
  let [best, shortest] = [null, Infinity];
  at.forEach(([x, y], s) => {
    const [along, aside] = [dx * (x - at[from][0]) + dy * (y - at[from][1]), Math.abs(dy * (x - at[from][0]) + dx * (y - at[from][1]))];
    if (s === from || along <= 0 || aside > along) return;
    if (along + 2 * aside < shortest) [best, shortest] = [s, along + 2 * aside];
  });
  return best;
}

function legend(width, top) {
  const wide = Math.min(46, (width - 20) / 7);
  const left = 2;
  return [
    draw("text", { class: "tick", x: left, y: top + 15 }, "times as much as in all places"),
    ...[0, 1, 2, 3, 4, 5, 6].map((n) => draw("rect", { class: `key d${n}`, x: round(left + n * wide), y: top + 20, width: round(wide), height: 10 })),
    ...EDGE_NAMES.map((name, n) => draw("text", { class: "tick", x: round(left + (n + 1) * wide), y: top + 42, "text-anchor": "middle" }, name)),
  ];
}

function placeRows(k, known) {
  const { names, times } = data.places;
  const words = data.topics[k].places.words;
  const share = (s, i) => [names[s], TIMES[times[i]], data.labels[times[i]], "(share of the topic)", known.tokens(s, i), known.share(s, i).mean, "", "", known.share(s, i).ratio[0], "", ""];
  const word = (s, i, w) => {
    const { mean, low, high, ratio } = known.word(s, i, w);
    return [names[s], TIMES[times[i]], data.labels[times[i]], wordOf(words[w]), known.tokens(s, i), mean, low, high, ...ratio];
  };
  return [["place", "time", "date", "what", "words around that time", "value", "low", "high", "ratio", "ratio low", "ratio high"], ...names.flatMap((_, s) => times.flatMap((_, i) => [share(s, i), ...words.map((_, w) => word(s, i, w))]))];
}
