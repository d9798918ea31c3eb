// Opens pages of a site in a real browser: node drive.mjs ADDRESS BROWSER PAGES.json [FOLDER for screenshots]
// Prints what is wrong, a line each: pages that scroll sideways, text that is cut, text that is hard to read.
import { readFileSync } from "node:fs";
import puppeteer from "puppeteer-core";

const [address, browserPath, list, folder] = process.argv.slice(2);
const pages = JSON.parse(readFileSync(list, "utf8"));
const browser = await puppeteer.launch({ executablePath: browserPath, args: ["--no-sandbox"], headless: true });
const found = [];
let opened = 0;

// In the page: elements wider than what they are in (other than what scrolls), and contrast below 4.5 (3 for large text).
const look = (layout, measure) => {
  const wrong = [];
  const width = document.documentElement.clientWidth;
  const sideways = document.documentElement.scrollWidth - width;
  if (sideways > 0) wrong.push(`scrolls sideways by ${sideways}`);
  const scrolls = (element) => {
    for (let at = element; at && at !== document.body; at = at.parentElement)
      if (/auto|scroll/.test(getComputedStyle(at).overflowX)) return true;
    return false;
  };
  const name = (element) => `${element.tagName.toLowerCase()}.${[...element.classList].join(".")} "${element.textContent.trim().slice(0, 40)}"`;
  for (const element of layout ? document.querySelectorAll("article *, .md-path *, .md-footer *") : []) {
    const box = element.getBoundingClientRect();
    if (box.width === 0 || box.height === 0 || element.closest("svg")) continue;
    const style = getComputedStyle(element);
    if (style.visibility === "hidden" || style.opacity === "0") continue;
    if (box.right > width + 1 && !scrolls(element)) wrong.push(`cut at the right: ${name(element)}`);
    if (/hidden|clip/.test(style.overflowX) && element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0
        && style.textOverflow !== "ellipsis" && !element.closest("button, label, .md-footer__link"))
      wrong.push(`hides what is too wide: ${name(element)}`);
    if (/auto|scroll/.test(style.overflowX) && element.scrollWidth > element.clientWidth + 1 && element.matches("table, .md-typeset__scrollwrap, .md-typeset__table"))
      wrong.push(`table scrolls: ${name(element)}`);
  }
  if (measure) {
    const parse = (text) => (text.match(/[\d.]+/g) || []).map(Number);
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const rgba = (text) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1); const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data; return [r, g, b, a / 255]; };
    const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3]));
    const ground = (element) => {
      const layers = [];
      for (let at = element; at; at = at.parentElement) layers.unshift(rgba(getComputedStyle(at).backgroundColor));
      return layers.reduce((below, top) => over(top, below), [255, 255, 255]);
    };
    const light = (color) => { const [r, g, b] = color.map((c) => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const seen = new Set();
    const walker = document.createTreeWalker(document.querySelector("article"), NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement;
      if (!node.textContent.trim() || !element.getClientRects().length || element.closest(".headerlink, svg, button, script, style")) continue;
      const style = getComputedStyle(element);
      const key = `${style.color} ${element.className} ${element.parentElement.className}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const below = ground(element);
      const color = over(rgba(style.color), below);
      const [one, other] = [light(color), light(below)].sort((a, b) => b - a);
      const contrast = (one + 0.05) / (other + 0.05);
      const least = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.5 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
      if (contrast < least) wrong.push(`contrast ${contrast.toFixed(1)}: ${name(element)}`);
    }
  }
  return wrong;
};

const page = await browser.newPage();
let at = { page: "" };
page.on("pageerror", (error) => found.push({ page: at.page, width: 0, scheme: "", wrong: `error: ${error.message}` }));
page.on("response", (answer) => { if (answer.status() >= 400) found.push({ page: at.page, width: 0, scheme: "", wrong: `${answer.status()} ${answer.url()}` }); });
for (at of pages) {
  await page.goto(`${address}/${at.page}`, { waitUntil: "load" });
  opened += 1;
  for (const scheme of ["light", "dark"]) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    for (const width of [390, 820, 1400]) {
      await page.setViewport({ width, height: 900 });
      await new Promise((done) => setTimeout(done, at.picture ? 150 : 10));
      // Colours change no widths, and widths no colours.
      for (const wrong of await page.evaluate(look, scheme === "light", width === 1400)) found.push({ page: at.page, width, scheme, wrong });
      if (folder && at.picture) await page.screenshot({ path: `${folder}/${at.page.replaceAll("/", "_") || "home"}-${width}-${scheme}.png` });
    }
  }
  for (const each of found.splice(0)) console.log(JSON.stringify(each));
}
await browser.close();
console.log(JSON.stringify({ opened }));
