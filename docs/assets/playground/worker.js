// Python in a worker, so that the page answers while it runs.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const here = new URL("./", import.meta.url).href;
let call;

async function start() {
  const [python, archive] = await Promise.all([
    loadPyodide({ indexURL: `${here}pyodide/` }),
    fetch(`${here}app.zip`).then((answer) => answer.arrayBuffer()),
  ]);
  python.unpackArchive(archive, "zip", { extractDir: "/app" });
  python.runPython("import sys; sys.path.insert(0, '/app'); sys.dont_write_bytecode = True");
  call = python.runPython("from playground_run import run; run");
  postMessage({ ready: true });
}

const started = start().catch((error) => postMessage({ failed: String(error.message ?? error) }));

onmessage = async ({ data }) => {
  await started;
  const begun = performance.now();
  let code = 70;
  let output;
  try {
    [code, output] = call(data.task, data.text, data.release, data.fleet).toJs();
  } catch (error) {
    output = String(error.message ?? error);
  }
  postMessage({ number: data.number, code, output, ms: Math.round(performance.now() - begun) });
};
