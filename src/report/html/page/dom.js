// Elements and numbers. Data enter the page only through text nodes and attributes, never as markup.
const page = JSON.parse(document.getElementById("data").textContent);
const SVG = "http://www.w3.org/2000/svg";

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) element.style.setProperty(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false).map((c) => (c instanceof Node ? c : String(c))));
  return element;
}

const h = (tag, properties, ...children) => fill(document.createElement(tag), properties, children);
const s = (tag, properties, ...children) => fill(document.createElementNS(SVG, tag), properties, children);
const byId = (id) => document.getElementById(id);

const minus = (text) => text.replace("-", "−");
const whole = (value) => Math.round(value).toLocaleString("en");
function number(value, digits = 4) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e15 || size < 1e-4) return value.toExponential(2).replaceAll("-", "−");
  if (size >= 1000) return minus(value.toLocaleString("en", { maximumFractionDigits: Math.max(0, digits - 4) }));
  return minus(String(Number(value.toPrecision(size < 0.1 ? Math.min(digits, 3) : digits))));
}
const percent = (share) => (share >= 0.9995 ? "100 %" : `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`);
const plural = (count, one, many) => `${whole(count)} ${count === 1 ? one : many || one + "s"}`;
const range = (count) => Array.from({ length: count }, (_, i) => i);
const sum = (values) => values.reduce((a, b) => a + b, 0);

// A section of the page with its heading.
function section(id, title, text, ...content) {
  const heading = h("header", {}, h("div", {}, h("h2", { id: `${id}-title` }, title), text && h("p", {}, text)));
  const element = h("section", { id, "aria-labelledby": `${id}-title` }, heading, ...content);
  byId("main").append(element);
  return element;
}

// A sheet of paper is about this wide.
const PAPER = 660;

// Draws again whenever the width of the place changes, and for paper, so that text keeps its size everywhere.
function responsive(place, draw) {
  let width = 0;
  const redraw = () => {
    width = Math.max(260, Math.round(place.clientWidth || 640));
    place.replaceChildren(draw(width));
  };
  window.addEventListener("beforeprint", () => place.replaceChildren(draw(PAPER)));
  window.addEventListener("afterprint", redraw);
  new ResizeObserver(() => { if (Math.max(260, Math.round(place.clientWidth)) !== width) redraw(); }).observe(place);
  redraw();
  return redraw;
}

const dark = window.matchMedia("(prefers-color-scheme: dark)");
const themed = (draw) => dark.addEventListener("change", draw);
const colour = (hue) => (hue === undefined ? "var(--line)" : `oklch(var(--circle-l) var(--circle-c) ${Math.round(360 * hue + 200) % 360})`);

// Paper cannot be unfolded.
const folded = [];
window.addEventListener("beforeprint", () => document.querySelectorAll("details:not([open])").forEach((d) => { folded.push(d); d.open = true; }));
window.addEventListener("afterprint", () => folded.splice(0).forEach((d) => { d.open = false; }));
