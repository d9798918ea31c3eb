// The extension in a real engine: `npm run test:engine`. What it needs is in harness.mjs.
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { ROOT, WAIT, inEditor, report, until } from "./harness.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));

function fill(workspace) {
  cpSync(join(HERE, "workspace"), workspace, { recursive: true });
  mkdirSync(join(workspace, "fleet"));
  cpSync(
    join(ROOT, "examples/inventory/gpu.nvidia.com-static-mig-mixed-a100/slices.yaml"),
    join(workspace, "fleet/slices.yaml"),
  );
  writeFileSync(join(workspace, "empty.yaml"), "");
}

async function run({ page, pause, text, keys, command, open, goTo, picture, shows }) {
  // A folder that nobody trusts starts nothing.
  await open("claims.yaml");
  await pause(4000);
  const bar = await text(".part.statusbar");
  report("nothing starts before the folder is trusted", !bar.includes("dradsl"), bar);
  await command("Workspaces: Manage Workspace Trust");
  await page.waitForSelector(".workspace-trust-buttons-row .monaco-button", { timeout: WAIT });
  await picture("1-restricted");
  await page.click(".workspace-trust-buttons-row .monaco-button");
  await pause(3000);
  await open("claims.yaml");

  await shows("the status bar counts findings", ".part.statusbar", "dradsl: ");
  await command("Problems: Focus on Problems View");
  await shows("diagnostics are in the list of problems", ".markers-panel", "counts", "DRA005");
  await picture("2-diagnostics");
  await command("View: Toggle Panel Visibility");

  await shows("inlay hints tell cost and matches", ".view-lines", "matches 1 of 4 devices", "cost ");
  await goTo(17, 56);
  await command("Show or Focus Hover");
  await shows("hover on an attribute", ".monaco-hover", "attribute of gpu.nvidia.com", "Recorded", "1 of 4 recorded devices");
  await picture("3-hover-attribute");
  await keys("Escape");
  await goTo(4, 11);
  await command("Show or Focus Hover");
  await shows("hover on a template", ".monaco-hover", "Fits on 1 of 1 recorded node");
  await picture("4-hover-template");
  await keys("Escape");

  // Between the quotes of a value.
  await goTo(17, 65);
  for (let i = 0; i < "3g.20gb".length; i += 1) await keys("Delete");
  await keys("Control+Space");
  await shows("completion offers recorded values", ".suggest-widget", "1g.5gb", "2g.10gb", "recorded");
  await picture("5-completion");
  await keys("Escape");
  await command("Undo");
  for (let i = 0; i < 8; i += 1) await keys("Control+Z");

  await open("pod.yaml");
  await goTo(4, 11);
  await command("dradsl: Why does this claim fit, or not?");
  await until("the page of why", async () => (await text(".tabs-container")).includes("Pod-worker"));
  await shows("why: the simulator's words", ".editor-group-container:not(.active) .view-lines", "Fits** on 1 of 1 recorded node",
    "gpu-0-mig-3g20gb-9-4");
  await picture("6-why");

  await open("empty.yaml");
  await page.keyboard.type("dra-template");
  await keys("Control+Space");
  await shows("snippets are offered", ".suggest-widget", "dra-template");
  await picture("8-snippets");
  await keys("Enter");
  await shows("a snippet", ".editor-group-container.active .view-lines", "kind: ResourceClaimTemplate", "deviceClassName");
  await keys("Escape");

  // From nothing, by completion alone.
  await keys("Control+A");
  for (const line of ["apiVersion: resource.k8s.io/v1", "kind: ResourceClaim", "metadata:", "  name: one"]) {
    await page.keyboard.type(line);
    await pause(700);
    await keys("Escape", "Enter"); // Enter alone would take a suggestion
  }
  await keys("Home", "Shift+End");
  await page.keyboard.type("spe");
  await pause(1000);
  await keys("Control+Space");
  await shows("a field is offered", ".suggest-widget", "spec");
  await keys("Enter");
  await shows("the field comes with its structure", ".editor-group-container.active .view-lines", "devices:", "requests:",
    "- name:", "exactly:", "deviceClassName:");
  await picture("9-structure");
  await keys("Escape");

  await open("pod.yaml");
  await command("dradsl: New Claim");
  await shows("recipes are offered", ".quick-input-list", "gpu-pair", "mig");
  await page.keyboard.type("gpu-pair");
  await pause(500);
  await picture("10-recipes");
  await keys("Enter");
  await shows("a file or new objects", ".quick-input-list", "pod.yaml", "Write new objects");
  await keys("ArrowDown", "Enter");
  await until("the new file is open", async () => (await text(".tab.active")).includes("gpu-pair.yaml")).catch(() => false);
  await shows("the objects are in a new file", ".editor-group-container.active .view-lines", "# dradsl new gpu-pair", "kind: Pod");
  await picture("11-new");
}

await inEditor(fill, run);
