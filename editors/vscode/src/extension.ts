// The extension: starts the server, keeps the status, and explains claims.
import { readFileSync } from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import {
  type LanguageClient,
  type Program,
  type Why,
  State,
  findProgram,
  makeClient,
  settings,
} from "./server";

const SCHEME = "dradsl-why";

let client: LanguageClient | undefined;
let program: Program = { command: "dradsl", args: [], from: "PATH" };

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("dradsl", { log: true });
  const status = vscode.window.createStatusBarItem("dradsl", vscode.StatusBarAlignment.Left, 0);
  status.name = "dradsl";
  status.command = "dradsl.showLog";
  const answers = new Answers();

  async function ask<T>(method: string, params: object, nothing: T): Promise<T> {
    if (client?.state !== State.Running) {
      return nothing;
    }
    try {
      return (await client.sendRequest<T | null>(method, params)) ?? nothing;
    } catch (error) {
      log.warn(`${method}: ${String(error)}`);
      return nothing;
    }
  }

  function show(): void {
    const running = client?.state === State.Running;
    void vscode.commands.executeCommand("setContext", "dradsl.running", running);
    if (!running) {
      status.text = client?.state === State.Starting ? "$(sync~spin) dradsl" : "$(circle-slash) dradsl";
      status.tooltip = `dradsl is not running (${program.command} lsp)`;
      status.show();
      return;
    }
    let count = 0;
    for (const [, found] of vscode.languages.getDiagnostics()) {
      count += found.filter((each) => each.source === "dradsl").length;
    }
    const server = client?.initializeResult?.serverInfo;
    status.text = count ? `$(chip) dradsl: ${count}` : "$(chip) dradsl";
    const findings = count === 1 ? "1 finding" : `${count} findings`;
    status.tooltip = `dradsl ${server?.version ?? ""} (from ${program.from}): ${findings} in this workspace`;
    status.show();
  }

  async function start(): Promise<void> {
    program = await findProgram(context.extensionPath);
    log.info(`dradsl from ${program.from}: ${[program.command, ...program.args].join(" ")}`);
    const made = makeClient(log, program);
    client = made;
    made.onDidChangeState(show);
    show();
    try {
      await made.start();
    } catch (error) {
      log.error(String(error));
      const words =
        `dradsl: "${program.command} lsp" does not start. Install dradsl with its extra "lsp" into the environment ` +
        "of this folder, install Python 3.11 or newer, or set dradsl.path.";
      void vscode.window.showErrorMessage(words, "Open Settings", "Show the Log").then((choice) => {
        if (choice === "Open Settings") {
          void vscode.commands.executeCommand("workbench.action.openSettings", "dradsl.path");
        } else if (choice) {
          log.show();
        }
      });
    }
    show();
  }

  async function restart(): Promise<void> {
    const before = client;
    client = undefined;
    await before?.dispose().catch((error) => log.warn(String(error)));
    await start();
  }

  /** Ask for a recipe, and let `dradsl new` ask for the rest in a terminal. */
  async function newClaim(): Promise<void> {
    const recipe = await vscode.window.showQuickPick(recipes(context.extensionPath), {
      title: "New claim",
      placeHolder: "What do you need?",
      matchOnDescription: true,
    });
    if (!recipe) {
      return;
    }
    const args = [...program.args, "new", recipe.label];
    const document = vscode.window.activeTextEditor?.document;
    if (document?.languageId === "yaml" && document.uri.scheme === "file" && !document.isUntitled) {
      const file = path.basename(document.uri.fsPath);
      const into = `Give it to the workload in ${file}`;
      const choice = await vscode.window.showQuickPick([into, "Write new objects"], { title: "New claim" });
      if (!choice) {
        return;
      }
      if (choice === into) {
        await document.save();
        args.push("--for", document.uri.fsPath, "--write");
      }
    }
    const cwd = vscode.workspace.workspaceFolders?.[0]?.uri;
    const made = cwd && !args.includes("--for") ? await newFile(cwd, recipe.label) : undefined;
    if (made) {
      args.push("-o", made.fsPath);
    }
    const shown = new vscode.ProcessExecution(program.command, args, cwd ? { cwd: cwd.fsPath } : {});
    const task = new vscode.Task({ type: "dradsl" }, vscode.TaskScope.Workspace, "new claim", "dradsl", shown);
    task.presentationOptions = { focus: true, clear: true };
    const running = await vscode.tasks.executeTask(task);
    const ended = vscode.tasks.onDidEndTaskProcess(async ({ execution, exitCode }) => {
      if (execution === running) {
        ended.dispose();
        if (made && exitCode === 0) {
          await vscode.window.showTextDocument(made);
        }
      }
    });
  }

  async function why(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    let params: object | undefined;
    if (editor) {
      const { line, character } = editor.selection.active;
      params = { uri: editor.document.uri.toString(), position: { line, character } };
    }
    const found = params && (await ask<Why | null>("dradsl/why", params, null));
    if (!found) {
      const words = "Put the cursor into a ResourceClaim, a ResourceClaimTemplate, a pod or a workload.";
      void vscode.window.showInformationMessage(`dradsl: ${words}`);
      return;
    }
    await answers.show(found);
  }

  context.subscriptions.push(
    log,
    status,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, answers),
    vscode.commands.registerCommand("dradsl.why", why),
    vscode.commands.registerCommand("dradsl.new", newClaim),
    vscode.commands.registerCommand("dradsl.restart", restart),
    vscode.commands.registerCommand("dradsl.showLog", () => log.show()),
    vscode.languages.onDidChangeDiagnostics(show),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("dradsl.path") || event.affectsConfiguration("dradsl.python.build")) {
        await restart();
      } else if (event.affectsConfiguration("dradsl") && client?.state === State.Running) {
        await client.sendNotification("workspace/didChangeConfiguration", { settings: settings() });
      }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

/** The recipes that this extension has snippets of: those of `dradsl new`. */
function recipes(extension: string): vscode.QuickPickItem[] {
  const file = path.join(extension, "snippets", "recipes.json");
  const all = JSON.parse(readFileSync(file, "utf8")) as Record<string, { description: string }>;
  return Object.entries(all).map(([name, { description }]) => ({ label: name.replace(/^Recipe /, ""), description }));
}

/** A file that is not there yet: `gpu.yaml`, `gpu-2.yaml`, … */
async function newFile(folder: vscode.Uri, name: string): Promise<vscode.Uri> {
  for (let number = 1; ; number += 1) {
    const file = vscode.Uri.joinPath(folder, `${name}${number > 1 ? `-${number}` : ""}.yaml`);
    try {
      await vscode.workspace.fs.stat(file);
    } catch {
      return file;
    }
  }
}

/** Explanations as pages that can only be read. */
class Answers implements vscode.TextDocumentContentProvider {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly texts = new Map<string, string>();

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  async show(found: Why): Promise<void> {
    const name = found.title.replaceAll(/[^A-Za-z0-9.-]+/g, "-");
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}.md` });
    this.texts.set(uri.toString(), `# ${found.title}\n\n${found.text}\n`);
    this.changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    const beside = vscode.ViewColumn.Beside;
    await vscode.window.showTextDocument(document, { viewColumn: beside, preserveFocus: true });
  }
}
