// Charts to take away: CSV, SVG and PNG, made here and now.

function save(name, blob) {
  const url = URL.createObjectURL(blob);
  const link = el("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// A cell of text; one that a spreadsheet would take for a formula is marked as text.
function cell(value) {
  if (typeof value === "number") return String(Number(value.toPrecision(6)));
  const text = /^[=+\-@\t\r]/.test(value) && isNaN(Number(value)) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function saveCsv(name, rows) {
  const text = rows.map((row) => row.map(cell).join(",")).join("\r\n");
  save(`${name}.csv`, new Blob(["\ufeff", text, "\r\n"], { type: "text/csv;charset=utf-8" }));
}

const PICTURED = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "stroke-linejoin",
  "paint-order", "font-family", "font-size", "font-weight", "opacity"];

// The chart on white, in day colours, with its style written on every element: any program can show it.
function picture(title, paint, height) {
  const width = 900;
  const svg = blank(title, width, height + 28);
  const body = draw("g", { transform: "translate(0 28)" });
  svg.append(draw("text", { class: "heading", x: 12, y: 20 }, title), body);
  const stage = el("div", { class: "stage day", "aria-hidden": "true" }, svg);
  document.body.append(stage);
  paint(body, width, height);
  for (const node of svg.querySelectorAll("*")) {
    const style = getComputedStyle(node);
    for (const name of PICTURED) node.setAttribute(name, style.getPropertyValue(name));
    node.removeAttribute("class");
  }
  stage.remove();
  svg.prepend(draw("rect", { width, height: height + 28, fill: "#ffffff" }));
  svg.setAttribute("xmlns", SVG);
  return svg;
}

const source = (svg) => new XMLSerializer().serializeToString(svg);

function saveSvg(name, svg) {
  save(`${name}.svg`, new Blob([source(svg)], { type: "image/svg+xml" }));
}

function savePng(name, svg) {
  const image = new Image();
  image.onload = () => {
    const canvas = el("canvas", { width: 2 * svg.getAttribute("width"), height: 2 * svg.getAttribute("height") });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(`${name}.png`, blob), "image/png");
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(source(svg))}`;
}
