// The language server: how it is started, and the requests that are dradsl's own.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import {
  LanguageClient,
  type LanguageClientOptions,
  type ServerOptions,
  State,
} from "vscode-languageclient/node";

export interface Why {
  title: string;
  answer: string | null;
  text: string;
}

/** A program that starts dradsl, the words before its command, and where it was found. */
export interface Program {
  command: string;
  args: string[];
  from: string;
}

const WINDOWS = process.platform === "win32";
const SCRIPTS = WINDOWS ? "Scripts" : "bin";
const EXE = WINDOWS ? ".exe" : "";
/** The file in the extension that holds dradsl and its server, for any Python from 3.11 on. */
const BUNDLED = ["bundled", "dradsl.pyz"];

/**
 * The program: the one that the settings name; else that of the environment of the folder, of the interpreter that the
 * Python extension uses, or on the PATH; else the one in this extension, run by a Python that is new enough.
 */
export async function findProgram(extension: string): Promise<Program> {
  const given = vscode.workspace.getConfiguration("dradsl").get<string>("path")?.trim();
  if (given) {
    return { command: resolved(given), args: [], from: "dradsl.path" };
  }
  for (const [python, from] of await interpreters()) {
    const script = path.join(path.dirname(python), `dradsl${EXE}`);
    if (existsSync(script) && (await runs(python, "import dradsl, pygls"))) {
      return { command: script, args: [], from };
    }
  }
  const installed = onPath("dradsl");
  if (installed) {
    return { command: installed, args: [], from: "PATH" };
  }
  const bundled = path.join(extension, ...BUNDLED);
  const pythons = [...(await interpreters()).map(([python]) => python), onPath("python3"), onPath("python")];
  for (const python of existsSync(bundled) ? pythons : []) {
    if (python && (await runs(python, "import sys; sys.exit(sys.version_info < (3, 11))"))) {
      return { command: python, args: [bundled], from: "the extension" };
    }
  }
  return { command: "dradsl", args: [], from: "PATH" };
}

/** A path of the settings, with its variables replaced. */
function resolved(given: string): string {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  const named = given.replaceAll("${workspaceFolder}", folder);
  return named.startsWith("~/") ? path.join(os.homedir(), named.slice(2)) : named;
}

/** Interpreters of the folders' environments, and the one that the Python extension uses. */
async function interpreters(): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for (const folder of vscode.workspace.workspaceFolders ?? []) {
    for (const name of [".venv", "venv"]) {
      found.push([path.join(folder.uri.fsPath, name, SCRIPTS, `python${EXE}`), name]);
    }
  }
  const chosen = await chosenInterpreter();
  if (chosen) {
    found.push([chosen, "the Python extension"]);
  }
  return found.filter(([python]) => existsSync(python));
}

interface PythonExtension {
  environments?: { getActiveEnvironmentPath(resource?: vscode.Uri): { path: string } };
}

async function chosenInterpreter(): Promise<string | undefined> {
  try {
    const python = vscode.extensions.getExtension<PythonExtension>("ms-python.python");
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    return (await python?.activate())?.environments?.getActiveEnvironmentPath(folder).path;
  } catch {
    return undefined; // the other extension failed, and says so itself
  }
}

function onPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.map((folder) => path.join(folder, name + EXE)).find((each) => existsSync(each));
}

/** Whether an interpreter runs a line of Python to its end. */
function runs(python: string, code: string): Promise<boolean> {
  return new Promise((answer) => {
    execFile(python, ["-c", code], { cwd: os.tmpdir(), timeout: 20_000 }, (error) => answer(!error));
  });
}

/** The settings as the server takes them. */
export function settings(): object {
  const all = vscode.workspace.getConfiguration("dradsl");
  return {
    slices: all.get("slices"),
    kubeVersion: all.get("kubeVersion"),
    inlayHints: { cost: all.get("inlayHints.cost"), matches: all.get("inlayHints.matches") },
    simulate: { seconds: all.get("simulate.seconds") },
    python: { build: all.get("python.build") },
  };
}

/** A client of a server that has not been started. */
export function makeClient(log: vscode.LogOutputChannel, program: Program): LanguageClient {
  const cwd = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const run = { command: program.command, args: [...program.args, "lsp"], options: cwd ? { cwd } : {} };
  const serverOptions: ServerOptions = { run, debug: run };
  const languages = ["yaml", "helm", "json", "jsonc", "dockercompose"];
  if (vscode.workspace.getConfiguration("dradsl").get("python.build")) {
    languages.push("python");
  }
  const clientOptions: LanguageClientOptions = {
    documentSelector: languages.map((language) => ({ scheme: "file", language })),
    initializationOptions: settings(),
    outputChannel: log,
    progressOnInitialization: false,
  };
  return new LanguageClient("dradsl", "dradsl", serverOptions, clientOptions);
}

export { type LanguageClient, State };
