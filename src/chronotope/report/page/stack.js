// Layers on top of each other over time, each with its name where it has most room.

// layers : [{ values, style, name, link }], the lowest first; values at every time
function paintStack(svg, width, height, layers, top) {
  const box = axes(svg, width, height, top);
  const floor = TIMES.map(() => 0);
  const names = [];
  for (const { values, style, name, link } of layers) {
    const ceiling = floor.map((value, t) => value + values[t]);
    const upper = overTime(box, (t) => ceiling[t]);
    const lower = overTime(box, (t) => floor[t]);
    const path = draw("path", { class: `layer ${style}`, d: areaPaths(upper, lower), onclick: () => (location.hash = link) });
    path.append(draw("title", {}, name.join(", ")));
    svg.append(path);
    if (/^c\d$/.test(style)) names.push(layerName(box, upper, lower, name, style));
    ceiling.forEach((value, t) => (floor[t] = value));
  }
  svg.append(...names.filter(Boolean));
  return box;
}

// The name, or its first words, where the layer is thick enough over its whole length.
function layerName(box, upper, lower, name, style) {
  for (const text of [name.slice(0, 3).join(", "), name.slice(0, 2).join(", "), name[0]]) {
    const half = text.length * 3.6 + 3;
    let best = null;
    upper.forEach((line, i) => {
      for (const [x] of line) {
        if (x - half < line[0][0] || x + half > line.at(-1)[0]) continue;
        const room = roomAt(line, lower[i], x, half);
        if (!best || room.size > best.size) best = { x, ...room };
      }
    });
    if (best && best.size >= 11) return draw("text", { class: `inside ${style}`, x: round(best.x), y: round(best.y + 4), "text-anchor": "middle" }, text);
  }
  return null;
}

function roomAt(upper, lower, x, half) {
  const near = upper.map(([px], t) => t).filter((t) => Math.abs(upper[t][0] - x) <= half);
  const top = Math.max(...near.map((t) => upper[t][1]));
  const bottom = Math.min(...near.map((t) => lower[t][1]));
  return { size: bottom - top, y: (top + bottom) / 2 };
}

// Points of a curve, a line for each stretch of time with documents; a single time becomes a level.
function overTime(box, value) {
  if (!LAST) return [[[box.left, box.y(value(0))], [box.right, box.y(value(0))]]];
  const half = (box.right - box.left) / LAST / 2;
  return stretches().map(([first, last]) => {
    if (first === last) return [-half, half].map((aside) => [Math.min(Math.max(box.x(TIMES[first]) + aside, box.left), box.right), box.y(value(first))]);
    return TIMES.slice(first, last + 1).map((time, i) => [box.x(time), box.y(value(first + i))]);
  });
}
