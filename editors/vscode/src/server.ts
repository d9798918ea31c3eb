// The language server: how it is started, and the requests that are dradsl's own.
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

/** The program that the settings name. */
export function program(): string {
  const given = vscode.workspace.getConfiguration("dradsl").get<string>("path")?.trim() || "dradsl";
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  const named = given.replaceAll("${workspaceFolder}", folder);
  return named.startsWith("~/") ? path.join(os.homedir(), named.slice(2)) : named;
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
export function makeClient(log: vscode.LogOutputChannel): LanguageClient {
  const cwd = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const run = { command: program(), args: ["lsp"], options: cwd ? { cwd } : {} };
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
