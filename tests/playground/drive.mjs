// Drives the playground in a real browser: node drive.mjs ADDRESS BROWSER [FOLDER for screenshots]
import puppeteer from "puppeteer-core";

const [address, browserPath, folder] = process.argv.slice(2);
const browser = await puppeteer.launch({ executablePath: browserPath, args: ["--no-sandbox"], headless: true });
const foreign = [];
const failures = [];
const open = async (to, width, scheme) => {
  const page = await browser.newPage();
  page.on("request", (request) => {
    if (!request.url().startsWith(address) && !/^(data|blob):/.test(request.url())) foreign.push(request.url());
  });
  page.on("pageerror", (error) => failures.push(error.message));
  await page.setViewport({ width, height: 900 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await page.goto(to);
  return page;
};
const result = async (page, number) => {
  const done = (wanted) => document.getElementById("pg").dataset.done === wanted;
  await page.waitForFunction(done, { timeout: 180000 }, String(number));
  return page.evaluate(() => ({
    task: document.getElementById("pg-task").value,
    status: document.getElementById("pg-status").textContent,
    output: document.getElementById("pg-output").textContent,
  }));
};
const picture = async (page, name) => folder && page.screenshot({ path: `${folder}/${name}.png` });

const page = await open(`${address}/playground/`, 1280, "light");
const answers = { lint: await result(page, 1) };
const startMs = Number(await page.evaluate(() => document.getElementById("pg").dataset.startMs));
await picture(page, "playground-desktop");
let runs = 1;
// Each recipe of the menu is filled in and linted.
const names = await page.$$eval("#pg-recipe option", (found) => found.map((each) => each.value).filter(Boolean));
const recipes = {};
for (const name of names) {
  await page.select("#pg-recipe", name);
  recipes[name] = await result(page, (runs += 1));
  recipes[name].input = await page.$eval("#pg-input", (each) => each.value);
}
await page.select("#pg-recipe", "gpu-pair");
await result(page, (runs += 1));
await picture(page, "playground-recipe");
await page.select("#pg-task", "simulate");
answers.placed = await result(page, (runs += 1));
await picture(page, "playground-recipe-simulated");
await page.select("#pg-task", "cel");
answers.cel = await result(page, (runs += 1));
await picture(page, "playground-cel");
await page.select("#pg-task", "simulate");
answers.simulate = await result(page, (runs += 1));
await page.click("#pg-share");
const link = await page.evaluate(() => location.href);
const other = await open(link, 390, "dark");
answers.shared = await result(other, 1);
const overflow = await other.evaluate(() => document.documentElement.scrollWidth - innerWidth);
await picture(other, "playground-phone-dark");
await browser.close();
console.log(JSON.stringify({ startMs, answers, recipes, link: link.length, overflow, foreign, failures }));
