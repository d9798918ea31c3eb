// The page of the playground: it starts the worker, hands over what is written, shows what comes back.
const at = (id) => document.getElementById(id);
const base = new URL("./", import.meta.url);
const EXAMPLES = {};
let number = 0;

// Text in a link: base64 of UTF-8, with the characters that addresses take.
const packed = (data) => {
  const bytes = new TextEncoder().encode(JSON.stringify(data));
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};
const unpacked = (text) => {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    const data = JSON.parse(new TextDecoder().decode(bytes));
    return typeof data === "object" && data !== null ? data : null;
  } catch {
    return null;
  }
};

function choose(select, names, chosen) {
  select.replaceChildren(...names.map((name) => new Option(name, name, false, name === chosen)));
}

function show() {
  at("pg-fleet").hidden = at("pg-task").value !== "simulate";
  at("pg-recipe").hidden = at("pg-task").value === "cel";
}

async function start() {
  const answer = await fetch(new URL("parts.json", base)).catch(() => null);
  if (answer === null || !answer.ok) return;
  const parts = await answer.json();
  Object.assign(EXAMPLES, parts.examples);
  const shared = unpacked(location.hash.slice(1)) ?? {};
  at("pg-missing").hidden = true;
  at("pg").hidden = false;
  const task = Object.hasOwn(EXAMPLES, shared.task) ? shared.task : "lint";
  at("pg-task").value = task;
  const recipes = new Map(parts.recipes.map(({ name, text }) => [name, text]));
  const titles = parts.recipes.map(({ name, title }) => new Option(title, name));
  at("pg-recipe").replaceChildren(new Option("Take a recipe …", ""), ...titles);
  choose(at("pg-fleet"), parts.fleets, shared.fleet ?? parts.fleets[0]);
  choose(at("pg-release"), parts.releases, shared.release ?? parts.releases.at(-1));
  at("pg-input").value = typeof shared.text === "string" ? shared.text : EXAMPLES[task];
  show();

  const begun = performance.now();
  const worker = new Worker(new URL("worker.js", base), { type: "module" });
  at("pg-status").textContent = `Downloading Python (${(parts.bytes / 1e6).toFixed(0)} MB) …`;
  const run = () => {
    at("pg-run").disabled = true;
    at("pg-status").textContent = "running …";
    worker.postMessage({ number: ++number, task: at("pg-task").value, fleet: at("pg-fleet").value,
      release: at("pg-release").value, text: at("pg-input").value });
  };
  worker.onerror = () => { at("pg-status").textContent = "Python could not be started here."; };
  worker.onmessage = ({ data }) => {
    if (data.failed) {
      at("pg-status").textContent = `Python could not be started here: ${data.failed}`;
    } else if (data.ready) {
      at("pg").dataset.startMs = Math.round(performance.now() - begun);
      run();
    } else if (data.number === number) {
      at("pg-output").textContent = data.output;
      at("pg-status").textContent = `exit code ${data.code}, ${data.ms} ms`;
      at("pg").dataset.done = number;
      at("pg-run").disabled = false;
    }
  };
  at("pg-run").addEventListener("click", run);
  at("pg-task").addEventListener("change", () => {
    // A recipe stays for the other task; a text that begins a task goes.
    const recipe = at("pg-task").value === "cel" ? "" : at("pg-recipe").value;
    at("pg-recipe").value = recipe;
    at("pg-input").value = recipes.get(recipe) ?? EXAMPLES[at("pg-task").value];
    show();
    if (!at("pg-run").disabled) run();
  });
  at("pg-recipe").addEventListener("change", () => {
    at("pg-input").value = recipes.get(at("pg-recipe").value) ?? EXAMPLES[at("pg-task").value];
    if (!at("pg-run").disabled) run();
  });
  at("pg-share").addEventListener("click", async () => {
    const state = { task: at("pg-task").value, release: at("pg-release").value, text: at("pg-input").value };
    if (state.task === "simulate") state.fleet = at("pg-fleet").value;
    history.replaceState(null, "", `#${packed(state)}`);
    const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
    at("pg-status").textContent = copied ? "Link copied." : "Copy the address of this page.";
  });
}

start();
