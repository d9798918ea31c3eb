// Ten tasks in a real engine, by recipe and from an empty file: `npm run test:tasks`. What it needs is in harness.mjs; LINT is
// the program that lints the result, if it is not the server's.
//
// Each task gives the workload of pod.yaml devices. By recipe: a code action in pod.yaml, or a snippet. From an empty file: the
// claim in claims.yaml with completion, then its name in pod.yaml. A key or chord counts as one. What a person would see last is
// waited for, and that time is counted; keys count 0.28 s each, as in the keystroke-level model for an average typist.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { dradsl, inEditor, report, until } from "./harness.mjs";

const PER_KEY = 0.28;
const POD = `apiVersion: v1
kind: Pod
metadata:
  name: app
spec:
  containers:
  - name: main
    image: registry.example.com/app:1
`;
const DAEMON_SET = `apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: app
  namespace: monitoring
spec:
  selector:
    matchLabels: {app: app}
  template:
    metadata:
      labels: {app: app}
    spec:
      containers:
      - name: main
        image: registry.example.com/app:1
`;
const GPU = 'device.capacity["gpu.nvidia.com"].memory';
// `adds`: the words of the code action. `writes`: the steps from an empty file; `claim`: what the pod names.
const TASKS = [
  { name: "one GPU for a pod", adds: "one GPU", writes: (it) => it.claim("app-gpu", "gpu", "gpu.nvidia.com") },
  {
    name: "two GPUs on one PCIe root",
    adds: "two GPUs behind",
    writes: async (it) => {
      await it.claim("app-gpu", "gpu", "gpu.nvidia.com");
      await it.field(12, "cou", "count");
      await it.type("2");
      await it.field(6, "con", "constraints");
      await it.type("gpu");
      await it.keys("Tab");
      await it.complete("", "resource.kubernetes.io/pcieRoot");
    },
  },
  {
    name: "80 GB, or two of 40 GB",
    adds: "one GPU of 80 GB",
    writes: async (it) => {
      await it.claim("app-gpu", "gpu", "");
      await it.keys("Control+Shift+K", "Control+Shift+K", "End");
      await it.field(10, "fi", "firstAvailable");
      for (const [request, memory] of [["large", "79Gi"], ["two", "39Gi"]]) {
        if (request === "two") {
          await it.field(12, "", "- name, deviceClassName");
        }
        await it.type(request);
        await it.keys("Tab");
        await it.complete("gpu", "gpu.nvidia.com");
        await it.field(14, "sel", "selectors");
        await it.type(`${GPU}.compareTo(quantity("${memory}")) >= 0`);
        await it.field(14, "cou", "count");
        await it.type(request === "two" ? "2" : "1");
      }
    },
  },
  {
    name: "a MIG partition 1g.5gb",
    adds: "a MIG partition",
    writes: async (it) => {
      await it.claim("app-gpu", "gpu", "mig.nvidia.com");
      await it.field(12, "sel", "selectors");
      await it.type('device.attributes["gpu.nvidia.com"].profile == "1g.5gb"');
    },
  },
  {
    name: "a time slice",
    adds: "a GPU that pods share by time",
    shared: true,
    writes: async (it) => {
      await it.claim("app-gpu", "gpu", "gpu.nvidia.com", "ResourceClaim");
      await it.field(4, "conf", "config");
      await it.type("gpu");
      await it.keys("Tab");
      await it.complete("gpu", "gpu.nvidia.com");
      await it.keys("Tab");
      await it.lines([12, "apiVersion: resource.nvidia.com/v1beta1"], [12, "kind: GpuConfig"], [12, "sharing:"]);
      await it.lines([14, "strategy: TimeSlicing"], [14, "timeSlicingConfig:"], [16, "interval: Default"]);
    },
  },
  {
    name: "a share of a NIC",
    adds: " of the bandwidth",
    writes: async (it) => {
      await it.claim("app-gpu", "gpu", "net.example.com");
      await it.field(12, "cap", "capacity");
      await it.type("egressBandwidth: 10G");
    },
  },
  {
    name: "a GPU with a NIC",
    adds: "a GPU and an RDMA",
    writes: async (it) => {
      await it.complete("api", "apiVersion");
      await it.complete("", "resource.k8s.io/v1");
      await it.field(0, "kin", "kind");
      await it.complete("", "DeviceClass");
      await it.field(0, "me", "metadata");
      await it.type("rdma-nic");
      await it.field(0, "sp", "spec");
      await it.type('device.driver == "dra.net" && device.attributes["dra.net"].rdma');
      await it.line(0);
      await it.type("---");
      await it.line(0);
      await it.claim("app-gpu", "gpu", "gpu.nvidia.com");
      await it.field(8, "", "- name, exactly, deviceClassName");
      await it.type("nic");
      await it.keys("Tab");
      await it.complete("rd", "rdma-nic");
      await it.field(6, "con", "constraints");
      await it.type("gpu");
      await it.lines([12, "- nic"]);
      await it.keys("Tab");
      await it.complete("", "resource.kubernetes.io/pcieRoot");
    },
  },
  {
    name: "a claim that pods share",
    adds: "one GPU for several pods",
    shared: true,
    writes: (it) => it.claim("app-gpu", "gpu", "gpu.nvidia.com", "ResourceClaim"),
  },
  {
    name: "a monitor with admin access",
    adds: "admin access",
    workload: DAEMON_SET,
    writes: async (it) => {
      await it.type("apiVersion: v1");
      await it.lines([0, "kind: Namespace"], [0, "metadata:"], [2, "name: monitoring"], [2, "labels:"]);
      await it.lines([4, 'resource.kubernetes.io/admin-access: "true"'], [0, "---"]);
      await it.line(0);
      await it.claim("app-gpu", "gpu", "gpu.nvidia.com", "ResourceClaimTemplate", "monitoring");
      await it.field(12, "all", "allocationMode");
      await it.complete("", "All");
      await it.field(12, "adm", "adminAccess");
      await it.complete("", "true");
      await it.lines([12, "tolerations:"], [12, "- operator: Exists"]);
    },
  },
  {
    name: "a TPU slice",
    adds: "all TPU chips",
    writes: async (it) => {
      await it.claim("app-gpu", "gpu", "tpu.google.com");
      await it.field(12, "all", "allocationMode");
      await it.complete("", "All");
      await it.field(12, "sel", "selectors");
      await it.type('device.attributes["tpu.google.com"].accelerator == "tpu-v6e-slice"');
    },
  },
];
const WANTED = process.env.TASKS ? process.env.TASKS.split(",").map(Number) : TASKS.map((_, index) => index + 1);

function fill(workspace) {
  const drivers = "{gpu.nvidia.com: v25.8.0, dra.net: v1.2.0, net.example.com: v0.4, tpu.google.com: v0.2}";
  writeFileSync(join(workspace, ".dradsl.yaml"), `driver-versions: ${drivers}\n`);
  for (const number of WANTED) {
    for (const way of ["recipe", "empty"]) {
      const folder = join(workspace, `${number}-${way}`);
      mkdirSync(folder);
      writeFileSync(join(folder, `pod${number}${way}.yaml`), TASKS[number - 1].workload ?? POD);
      if (way === "empty") {
        writeFileSync(join(folder, `claims${number}.yaml`), "");
      }
    }
  }
}

/** The keys of a person, counted. */
function person({ page, keys, pause, text }) {
  const it = { count: 0, waited: 0 };
  const waitFor = async (what, test) => {
    const begin = Date.now();
    await until(what, test);
    it.waited += Date.now() - begin;
  };
  const visible = () => text(".suggest-widget.visible").catch(() => "");
  it.keys = async (...chords) => {
    // Suggestions that nobody asked for would take Tab.
    const all = chords[0] === "Tab" && (await visible()) ? ["Escape", ...chords] : chords;
    it.count += all.length;
    await keys(...all);
  };
  it.type = async (words) => {
    it.count += words.length;
    await page.keyboard.type(words, { delay: 10 });
    await pause(500);
    // Suggestions that nobody asked for would take Tab and Enter.
    if (await visible()) await it.keys("Escape");
  };
  it.lines = async (...rows) => {
    for (const [indent, words] of rows) {
      await it.line(indent);
      await it.type(words);
    }
  };
  /** Where the cursor is, as the status bar says. */
  it.column = async () => Number(/Col (\d+)/.exec(await text(".part.statusbar"))?.[1] ?? 0);
  /** A new line that begins in a column. */
  it.line = async (indent) => {
    await it.keys("End", "Enter");
    await pause(300);
    for (let left = 20; left > 0 && (await it.column()) !== indent + 1; left -= 1) {
      await it.keys((await it.column()) > indent + 1 ? "Backspace" : "Tab");
      await pause(150);
    }
  };
  /** A word by completion: its first letters, the list, and down to it. */
  it.complete = async (begin, label) => {
    if (begin) {
      it.count += begin.length;
      await page.keyboard.type(begin, { delay: 30 });
      await pause(300);
    }
    const focused = () => text(".suggest-widget.visible .monaco-list-row.focused").catch(() => "");
    if (!(await focused())) {
      await it.keys("Control+Space");
    }
    await waitFor(`${label} is offered`, async () => (await text(".suggest-widget.visible .monaco-list-row").catch(() => "")).includes(label));
    const first = (row) => row.split("\n")[0].trim();
    for (let left = 40; left > 0 && first(await focused()) !== label; left -= 1) {
      await it.keys("ArrowDown");
      await pause(60);
    }
    await it.keys("Enter");
    await pause(300);
  };
  it.field = async (indent, begin, label) => {
    await it.line(indent);
    await it.complete(begin, label);
  };
  /** A claim or template, up to the class of its first request. */
  it.claim = async (name, request, deviceClass, kind = "ResourceClaimTemplate", namespace = "") => {
    await it.complete("api", "apiVersion");
    await it.complete("", "resource.k8s.io/v1");
    await it.field(0, "kin", "kind");
    await it.complete("", kind);
    await it.field(0, "me", "metadata");
    await it.type(name);
    if (namespace) await it.lines([2, `namespace: ${namespace}`]);
    await it.field(0, "sp", "spec");
    await it.type(request);
    await it.keys("Tab");
    if (deviceClass) await it.complete(deviceClass.slice(0, 3), deviceClass);
  };
  /** The claim in the pod: in the container, then in the pod. */
  it.inPod = async (indent, shared) => {
    await it.keys("Control+End");
    await pause(200);
    await it.keys("ArrowUp");
    await it.line(indent + 4);
    await it.type("resources:");
    await it.field(indent + 6, "cl", "claims");
    await it.type("gpu");
    await it.field(indent + 2, "res", "resourceClaims");
    await it.type("gpu");
    if (shared) {
      await it.keys("Tab");
      await it.keys("Shift+Home");
      await it.complete("res", "resourceClaimName");
    } else {
      await it.keys("Tab");
    }
    await it.complete("", "app-gpu");
  };
  it.waitFor = waitFor;
  return it;
}

async function run(editor, workspace) {
  const { pause, text, keys, open, goTo, picture } = editor;
  const lint = (folder) => {
    const words = ["lint", "--severity", "warning", folder];
    const [program, ...first] = (process.env.LINT ?? dradsl ?? "dradsl").split(" ");
    try {
      execFileSync(program, [...first, ...words], { cwd: workspace, stdio: "pipe" });
      return "";
    } catch (error) {
      return String(error.stdout) + String(error.stderr);
    }
  };
  await open(`pod${WANTED[0]}recipe.yaml`);
  await until("the server runs", async () => (await text(".part.statusbar")).includes("dradsl"));
  await pause(3000);
  const rows = [];
  for (const number of WANTED) {
    const task = TASKS[number - 1];
    const counted = [];
    for (const way of ["recipe", "empty"]) {
      const it = person(editor);
      const folder = join(workspace, `${number}-${way}`);
      try {
        if (way === "recipe") {
          await open(`pod${number}recipe.yaml`);
          await goTo(task.workload ? 14 : 7, 9);
          const shown = async () => text(".action-widget .monaco-list-row").catch(() => "");
          await pause(1500);
          await it.keys("Control+.");
          await it.waitFor("actions are offered", async () => (await shown()).includes(task.adds));
          const focused = () => text(".action-widget .monaco-list-row.focused").catch(() => "");
          for (let left = 20; left > 0 && !(await focused()).includes(task.adds); left -= 1) {
            await it.keys("ArrowDown");
            await pause(80);
          }
          if (number === 1 || number === 4) await picture(`task-${number}-actions`);
          await it.keys("Enter");
          await it.waitFor("the claim is there", async () => (await text(".editor-instance .view-lines")).includes("claims:"));
        } else {
          await open(`claims${number}.yaml`);
          await task.writes(it);
          await it.keys("Control+S");
          await picture(`task-${number}-claims`);
          await open(`pod${number}empty.yaml`);
          await pause(1000);
          await it.inPod(task.workload ? 4 : 0, task.shared);
        }
        await it.keys("Control+S");
        await pause(1500);
        await picture(`task-${number}-${way}`);
        const said = lint(folder);
        report(`${number} ${way}: ${task.name}`, !said, said);
      } catch (error) {
        await picture(`task-${number}-${way}-failed`);
        report(`${number} ${way}: ${task.name}`, false, String(error));
        await keys("Escape", "Escape", "Control+S");
      }
      counted.push(it);
    }
    rows.push([task.name, ...counted]);
  }
  console.log("| Task | By recipe: keys | seconds | From an empty file: keys | seconds |\n| --- | --- | --- | --- | --- |");
  const seconds = (it) => Math.round(it.count * PER_KEY + it.waited / 1000);
  for (const [name, recipe, empty] of rows) {
    console.log(`| ${name} | ${recipe.count} | ${seconds(recipe)} | ${empty.count} | ${seconds(empty)} |`);
  }
}

await inEditor(fill, run, { "security.workspace.trust.enabled": false, "editor.tabSize": 2 });
