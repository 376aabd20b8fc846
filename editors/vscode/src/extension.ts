/** The extension: starts `pyrograph lsp` and shows what the protocol has no place for, the path of a finding. */

import * as vscode from "vscode";
import {
  LanguageClient,
  RevealOutputChannelOn,
  type LanguageClientOptions,
  type ServerOptions,
} from "vscode-languageclient/node";
import type { Shown, Step } from "./path";
import { PathTree } from "./tree";

const LANGUAGES = ["python", "javascript", "javascriptreact", "typescript", "typescriptreact", "go"];

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const tree = new PathTree();
  const command = (name: string, run: (...given: never[]) => unknown): vscode.Disposable =>
    vscode.commands.registerCommand(name, run);
  context.subscriptions.push(
    tree,
    command("pyrograph.openStep", (step: Step) => tree.open(step)),
    command("pyrograph.nextStep", () => tree.move(1)),
    command("pyrograph.previousStep", () => tree.move(-1)),
    command("pyrograph.suppressWithReason", suppress),
    command("pyrograph.scanAgain", () => vscode.commands.executeCommand("pyrograph.rescan")),
    command("pyrograph.showOutput", () => client?.outputChannel.show()),
    command("pyrograph.restart", () => restart(tree)),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("pyrograph.path")) {
        void restart(tree);
      }
    }),
  );
  await start(tree);
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

async function restart(tree: PathTree): Promise<void> {
  const before = client;
  client = undefined;
  await before?.dispose();
  await start(tree);
}

async function start(tree: PathTree): Promise<void> {
  const [program = "pyrograph", ...first] = vscode.workspace.getConfiguration("pyrograph").get<string[]>("path", []);
  const server: ServerOptions = { command: program, args: [...first, "lsp"] };
  const options: LanguageClientOptions = {
    documentSelector: LANGUAGES.map((language) => ({ scheme: "file", language })),
    initializationOptions: { asksForReason: true },
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    middleware: {
      executeCommand: async (name, given, next) => {
        const answer: unknown = await next(name, given);
        if (name === "pyrograph.showPath" && answer) {
          await tree.show(answer as Shown);
        } else if (name === "pyrograph.addToBaseline" && answer) {
          void vscode.window.showInformationMessage(`The finding was added to ${String(answer)}.`);
        }
        return answer;
      },
    },
  };
  client = new LanguageClient("pyrograph", "pyrograph", server, options);
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const settings = "Open Settings";
    const chosen = await vscode.window.showErrorMessage(
      `"${program} lsp" cannot be started (${error instanceof Error ? error.message : String(error)}). ` +
        "Install it with: pip install 'pyrograph-scan[lsp]', or name the program in pyrograph.path.",
      settings,
    );
    if (chosen === settings) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "pyrograph.path");
    }
  }
}

/** Ask for the reason, and let the server insert the comment. */
async function suppress(uri: string, fingerprint: string): Promise<void> {
  const reason = await vscode.window.showInputBox({
    title: "Suppress this finding",
    prompt: "Why is it accepted? The reason is written into the comment.",
    validateInput: (text) => (text.trim() === "" ? "A reason is needed." : undefined),
  });
  if (reason !== undefined) {
    await vscode.commands.executeCommand("pyrograph.suppress", uri, fingerprint, reason);
  }
}
