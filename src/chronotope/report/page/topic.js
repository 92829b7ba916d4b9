// A topic's page: one slider moves everything on it.

let now = nearest((TIMES[0] + TIMES[LAST]) / 2); // the slider's place, kept from topic to topic

function topicPage(k, word) {
  const topic = data.topics[k];
  if (word === undefined) now = topic.peak;
  const views = [shareView(k), wordsView(k, word), documentsView(k), groupsView(k), wordingView(k), placesView(k)];
  const show = (t) => {
    now = withText(t, now);
    bar.show(now);
    for (const view of views) view.show(now);
  };
  const bar = sliderBar(show);
  for (const view of views) view.go = show;
  const [share, words, documents, groups, wording, places] = views;
  const events = eventsView(k, (t, chosen) => {
    words.choose(chosen);
    show(t);
  });
  show(now);
  return [
    el("p", { class: "kicker" }, `Topic ${k}`, neighbours(k)),
    el("h1", {}, nameOf(k)),
    el("p", { class: "standfirst" }, topicSentence(topic)),
    topic.turn ? el("p", { class: "warn" }, topic.turn) : null,
    topic.mark ? el("p", { class: "warn" }, topic.mark) : null,
    bar.node,
    words.node,
    wording.node,
    places.node,
    share.node,
    groups.node,
    events,
    relatedView(k),
    documents.node,
  ];
}

function topicSentence(topic) {
  const { share, low, high } = prevalenceOf(topic);
  const [most, when] = [topic.peak, data.labels[topic.peak]];
  const change = LAST ? ` In the first tenth of the time it had ${percent(topic.early)}, in the last ${percent(topic.late)}.` : "";
  if (!high) return `${percent(topic.share)} of the text, most in ${when} (${percent(share[most])}).${change}`;
  return `${percent(topic.share)} of the text. Its prevalence was highest in ${when}: ${percent(share[most])} (${percent(low[most])} to ${percent(high[most])}).${change}`;
}

function neighbours(k) {
  const n = data.topics.length;
  const link = (to, text, label) => el("a", { href: `#topic-${to}`, "aria-label": `${label}: ${nameOf(to)}` }, text);
  return n < 2 ? null : el("span", { class: "neighbours" }, link((k + n - 1) % n, "← previous", "Previous topic"), link((k + 1) % n, "next →", "Next topic"));
}

function sliderBar(show) {
  const input = el("input", {
    type: "range", id: "slider", min: 0, max: LAST, step: 1, "aria-label": "Time", oninput: () => (stop(), show(Number(input.value))),
  });
  const output = el("output", { for: "slider", class: "date" });
  let timer = null;
  const play = el("button", { type: "button", class: "play", "aria-label": "Play through time", onclick: () => (timer ? stop() : start()) }, "▶");
  const stop = () => {
    clearInterval(timer);
    timer = null;
    play.textContent = "▶";
    play.setAttribute("aria-label", "Play through time");
  };
  const start = () => {
    if (now === WHEN.at(-1)) show(WHEN[0]);
    timer = setInterval(() => (now < WHEN.at(-1) && play.isConnected ? show(now + 1) : stop()), Math.max(60, 12000 / (LAST + 1)));
    play.textContent = "❚❚";
    play.setAttribute("aria-label", "Pause");
  };
  return {
    node: el("div", { class: "slider", hidden: LAST === 0 }, play, input, output),
    show: (t) => {
      input.value = t;
      input.setAttribute("aria-valuetext", data.labels[t]);
      output.textContent = data.labels[t];
    },
  };
}

// The prevalence of a topic over time, its events marked.
function shareView(k) {
  const topic = data.topics[k];
  const { share, low, high } = prevalenceOf(topic);
  const paint = (svg, width, height) => {
    const box = axes(svg, width, height, topOf([{ share, high }]) * 1.15 || 1);
    const lines = overTime(box, (t) => share[t]);
    const band = high && areaPaths(overTime(box, (t) => high[t]), overTime(box, (t) => low[t]));
    svg.append(
      draw("path", { class: "under", d: band ?? areaPaths(lines, lines.map((line) => line.map(([x]) => [x, box.bottom]))) }),
      draw("path", { class: "over", d: linePaths(lines) }),
    );
    for (const event of topic.events) svg.append(draw("circle", { class: "event", cx: round(box.x(TIMES[event.at])), cy: round(box.y(share[event.at])), r: 4 }, draw("title", {}, `${event.date}: ${event.text}`)));
    hairline(svg, box, view);
  };
  const view = {
    show: () => chart.isConnected && chart.redraw(),
    go: null,
  };
  const chart = figure({
    title: high ? `Prevalence of topic ${k}` : `Share of topic ${k} in the text`,
    caption: [high || !topic.events.length ? data.sharesNote : "", topic.events.length ? "The dots are the events listed below." : ""].join(" ").trim(),
    height: 150,
    paint,
    rows: () => [["time", "date", "share", ...(high ? ["low", "high"] : [])], ...WHEN.map((t) => [TIMES[t], data.labels[t], share[t], ...(high ? [low[t], high[t]] : [])])],
    file: `topic-${k}-share`,
  });
  view.node = el("section", { "aria-labelledby": "share" }, el("h2", { id: "share" }, high ? "Prevalence" : "Share of the text"), chart);
  return view;
}

// The slider's date in a chart; pressing or dragging there moves the slider.
function hairline(svg, box, view) {
  if (!LAST) return;
  const x = round(box.x(TIMES[now]));
  svg.append(draw("line", { class: "now", x1: x, x2: x, y1: box.top - 8, y2: box.bottom }));
  const target = draw("rect", { class: "target", x: box.left, y: box.top, width: Math.max(0, box.right - box.left), height: box.bottom - box.top });
  const move = (event) => {
    const place = (event.clientX - svg.getBoundingClientRect().left - box.left) / (box.right - box.left);
    view.go(nearest(TIMES[0] + place * (TIMES[LAST] - TIMES[0])));
  };
  target.addEventListener("pointerdown", move);
  target.addEventListener("pointermove", (event) => event.buttons === 1 && move(event));
  svg.append(target);
}
