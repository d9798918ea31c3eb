// Asks the search of a built site, with the worker that its pages load: node search.mjs SITE < searches.json
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import vm from "node:vm";

const site = process.argv[2];
const folder = join(site, "assets", "javascripts", "workers");
const worker = readdirSync(folder).find((name) => /^search\..*\.js$/.test(name));
const listeners = [];
const answers = [];
const scope = {
  addEventListener: (_, listener) => listeners.push(listener),
  console: { ...console, warn: () => {} },
  importScripts: () => { throw new Error("the search of the site is English"); },
  postMessage: (message) => answers.push(message),
};
scope.self = scope;
vm.runInNewContext(readFileSync(join(folder, worker), "utf8"), scope);

const send = async (message) => {
  for (const listener of listeners) await listener({ data: message });
  return answers.pop();
};
const index = JSON.parse(readFileSync(join(site, "search", "search_index.json"), "utf8"));
await send({ type: 0, data: { ...index, options: { suggest: true } } });
const found = [];
for (const words of JSON.parse(readFileSync(0, "utf8"))) {
  const { data } = await send({ type: 2, data: words });
  // A page has its sections under it; the first of them is what the reader sees below the title.
  found.push(data.items.slice(0, 5).map((page) => page.map((item) => item.location)));
}
console.log(JSON.stringify(found));
