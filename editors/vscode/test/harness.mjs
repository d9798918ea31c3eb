// What the tests in a real engine share: code-server in Chromium, with the packaged vsix and the server that is installed.
//
// They need `code-server` (or CODE_SERVER, the path of it or of its entry.js), Chromium (or CHROMIUM) and `dradsl` with its
// extra `lsp` (or DRADSL); with BUNDLED=1 no `dradsl`, but the one that the vsix brings along. Where one is missing they say so and do nothing. SCREENSHOTS names a folder for pictures.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
export const ROOT = resolve(HERE, "../../..");
const VSIX = resolve(HERE, "../dist/dradsl.vsix");
const PICTURES = process.env.SCREENSHOTS;
export const WAIT = 60_000;

function onPath(...names) {
  for (const name of names) {
    for (const folder of (process.env.PATH ?? "").split(delimiter)) {
      if (folder && existsSync(join(folder, name))) {
        return join(folder, name);
      }
    }
  }
  return undefined;
}

function skip(what) {
  console.log(`skipped: ${what} not found`);
  process.exit(0);
}

const server = process.env.CODE_SERVER ?? onPath("code-server") ?? skip("code-server");
const chromium = process.env.CHROMIUM ?? onPath("chromium", "chromium-browser", "google-chrome") ?? skip("Chromium");
const bundled = process.env.BUNDLED === "1";
export const dradsl = bundled ? undefined : (process.env.DRADSL ?? onPath("dradsl") ?? skip("dradsl"));
if (!existsSync(VSIX)) {
  skip(`${VSIX} (npm run package)`);
}
const { default: puppeteer } = await import("puppeteer-core");


let passed = 0;
let failed = 0;

export function report(what, good, more = "") {
  passed += good ? 1 : 0;
  failed += good ? 0 : 1;
  console.log(good ? `ok: ${what}` : `not ok: ${what}\n${more}`);
}

/** Run in the editor with a workspace that `fill` makes; then the process ends. */
export async function inEditor(fill, run, settings = {}) {
  const folder = mkdtempSync(join(tmpdir(), "dradsl-engine-"));
  const workspace = join(folder, "workspace");
  mkdirSync(workspace);
  fill(workspace);
  const user = join(folder, "data", "User");
  mkdirSync(user, { recursive: true });
  writeFileSync(
    join(user, "settings.json"),
    JSON.stringify({
      ...(bundled ? {} : { "dradsl.path": dradsl }),
      "security.workspace.trust.startupPrompt": "never",
      "security.workspace.trust.banner": "never",
      ...settings,
      "workbench.startupEditor": "none",
      "workbench.colorTheme": "Default Light Modern",
      "editor.minimap.enabled": false,
      "extensions.ignoreRecommendations": true,
      "telemetry.telemetryLevel": "off",
    }),
  );
  const [program, ...first] = server.endsWith(".js") ? [process.execPath, server] : [server];
  const places = ["--user-data-dir", join(folder, "data"), "--extensions-dir", join(folder, "extensions")];
  const config = ["--config", join(folder, "config.yaml")];
  writeFileSync(join(folder, "config.yaml"), "auth: none\n");
  // Python finds dradsl by itself; what else is in the environment is nobody's.
  const env = { ...process.env, HOME: folder, VSCODE_IPC_HOOK_CLI: "", EXTENSIONS_GALLERY: "{}" };
  if (bundled) {
    const others = (env.PATH ?? "").split(delimiter).filter((each) => !existsSync(join(each, "dradsl")));
    env.PATH = others.join(delimiter);
  }

  execFileSync(program, [...first, ...config, ...places, "--install-extension", VSIX], { env, stdio: "pipe" });

  const port = await freePort();
  const running = spawn(
    program,
    [...first, ...config, ...places, "--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry",
      "--disable-update-check", "--disable-getting-started-override"],
    { env, stdio: ["ignore", "pipe", "pipe"], detached: true },
  );
  let said = "";
  running.stdout.on("data", (data) => (said += data));
  running.stderr.on("data", (data) => (said += data));

  let browser;
  try {
    await until("code-server answers", async () => (await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => null))?.ok);
    browser = await puppeteer.launch({
      executablePath: chromium,
      headless: true,
      args: ["--no-sandbox", "--disable-gpu", "--window-size=1500,1000"],
      defaultViewport: { width: 1500, height: 1000 },
    });
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(workspace)}`);
    await page.waitForSelector(".monaco-workbench .part.statusbar", { timeout: WAIT });
    await run(editor(page), workspace);
  } catch (error) {
    report("it runs to the end", false, error.stack ?? error);
    console.log(said.split("\n").slice(-20).join("\n"));
  } finally {
    await browser?.close();
    try {
      process.kill(-running.pid, "SIGTERM");
    } catch {
      // It is gone.
    }
    await new Promise((done) => setTimeout(done, 1000));
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 500 });
  }
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed ? 1 : 0);
}

/** What a person does in the editor, and what is seen there. */
function editor(page) {
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  const text = (selector) =>
    page.$$eval(selector, (found) => found.map((each) => each.innerText ?? "").join("\n").replaceAll("\u00a0", " "));
  const keys = async (...chords) => {
    for (const chord of chords) {
      const parts = chord.split("+");
      for (const part of parts.slice(0, -1)) await page.keyboard.down(part);
      await page.keyboard.press(parts.at(-1));
      for (const part of parts.slice(0, -1).reverse()) await page.keyboard.up(part);
    }
  };
  const command = async (name) => {
    await keys("F1");
    await page.waitForSelector(".quick-input-widget input", { visible: true, timeout: WAIT });
    await pause(300);
    await page.keyboard.type(name);
    await until(`the command ${name}`, async () => (await text(".quick-input-list .monaco-list-row.focused")).includes(name));
    await keys("Enter");
    await pause(500);
  };
  const open = async (name) => {
    await keys("Control+P");
    await page.waitForSelector(".quick-input-widget input", { visible: true, timeout: WAIT });
    await pause(300);
    await page.keyboard.type(name);
    await until(`the file ${name}`, async () => (await text(".quick-input-list .monaco-list-row.focused")).includes(name));
    await keys("Enter");
    await until(`${name} is open`, async () => (await text(".tab.active")).includes(name));
    await pause(500);
  };
  const goTo = async (line, column) => {
    await keys("Control+G");
    await page.waitForSelector(".quick-input-widget input", { visible: true, timeout: WAIT });
    await pause(200);
    await page.keyboard.type(`${line}:${column}`);
    await keys("Enter");
    await pause(300);
  };
  const picture = async (name) => {
    if (PICTURES) {
      mkdirSync(PICTURES, { recursive: true });
      await page.screenshot({ path: join(PICTURES, `${name}.png`) });
    }
  };
  const shows = async (what, selector, ...words) => {
    let last = "";
    const good = await until(what, async () => {
      last = await text(selector).catch(() => "");
      return words.every((word) => last.includes(word));
    }).catch(() => false);
    report(what, good, `${selector} says:\n${last.slice(0, 1500)}\nnot: ${words.join(", ")}`);
  };
  return { page, pause, text, keys, command, open, goTo, picture, shows };
}

export async function until(what, test) {
  const end = Date.now() + WAIT;
  while (Date.now() < end) {
    if (await test()) return true;
    await new Promise((done) => setTimeout(done, 250));
  }
  throw new Error(`${what}: not within ${WAIT / 1000} s`);
}

function freePort() {
  return new Promise((done, wrong) => {
    const probe = createServer();
    probe.on("error", wrong);
    probe.listen(0, "127.0.0.1", () => {
      const { port: found } = probe.address();
      probe.close(() => done(found));
    });
  });
}
