// The extension: starts the server, keeps the status, and explains claims.
import * as vscode from "vscode";
import {
  type LanguageClient,
  type Why,
  State,
  makeClient,
  program,
  settings,
} from "./server";

const SCHEME = "dradsl-why";

let client: LanguageClient | undefined;

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
      status.tooltip = `dradsl is not running (${program()} lsp)`;
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
    status.tooltip = `dradsl ${server?.version ?? ""}: ${findings} in this workspace`;
    status.show();
  }

  async function start(): Promise<void> {
    const made = makeClient(log);
    client = made;
    made.onDidChangeState(show);
    show();
    try {
      await made.start();
    } catch (error) {
      log.error(String(error));
      const words = `dradsl: "${program()} lsp" does not start. Install dradsl with its extra "lsp", or say where it is.`;
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
