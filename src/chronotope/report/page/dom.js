// Elements. Text only ever enters the page as text.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const draw = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

const round = (n) => Math.round(n * 10) / 10;

function linePath(points) {
  return points.map(([x, y], i) => `${i ? "L" : "M"}${round(x)},${round(y)}`).join("");
}

function areaPath(upper, lower) {
  return `${linePath(upper)}${linePath([...lower].reverse()).replace("M", "L")}Z`;
}

// Several lines or areas in one path: nothing is drawn between them.
const linePaths = (lines) => lines.map(linePath).join("");
const areaPaths = (uppers, lowers) => uppers.map((upper, i) => areaPath(upper, lowers[i])).join("");

const still = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;
