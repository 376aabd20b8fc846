/** The view "Path": the paths of one finding as a tree whose steps open the place in the code. */

import * as vscode from "vscode";
import { ICONS, plain, Walk, type Shown, type Step } from "./path";

interface PathNode {
  kind: "path";
  path: number;
}

interface StepNode {
  kind: "step";
  path: number;
  step: number;
}

type Node = PathNode | StepNode;

export class PathTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<Node>;
  private readonly mark = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor("editor.findMatchHighlightBackground"),
  });
  private walk: Walk | undefined;
  /** One object for each node: `reveal` compares them. */
  private paths: PathNode[] = [];
  private steps: StepNode[][] = [];

  constructor() {
    this.view = vscode.window.createTreeView("pyrograph.path", { treeDataProvider: this });
    this.view.onDidChangeSelection(({ selection }) => {
      const [node] = selection;
      if (node?.kind === "step") {
        this.walk?.choose(node.path, node.step);
      }
    });
  }

  /** Show a finding, and open its source. */
  async show(shown: Shown): Promise<void> {
    this.walk = new Walk(shown);
    this.paths = shown.paths.map((_, path) => ({ kind: "path", path }));
    this.steps = shown.paths.map(({ steps }, path) => steps.map((_, step) => ({ kind: "step", path, step })));
    this.view.message = plain(shown.message);
    this.view.description = `${shown.title}, ${shown.severity}`;
    this.changed.fire();
    await this.move(1);
  }

  /** Open the next or the previous step of the path. */
  async move(by: 1 | -1): Promise<void> {
    const at = this.walk?.move(by);
    const node = at && this.steps[at.path]?.[at.step];
    if (node === undefined) {
      return;
    }
    await this.view.reveal(node, { select: true, focus: false, expand: true });
    await this.open(this.stepOf(node));
  }

  async open(step: Step): Promise<void> {
    const { uri, range } = step.location;
    const selection = new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character);
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
    const editor = await vscode.window.showTextDocument(document, { selection, preserveFocus: true, preview: true });
    editor.setDecorations(this.mark, [selection]);
  }

  getTreeItem(node: Node): vscode.TreeItem {
    return node.kind === "path" ? this.pathItem(node) : this.stepItem(node);
  }

  getChildren(node?: Node): Node[] {
    if (node === undefined) {
      return this.paths;
    }
    return node.kind === "path" ? (this.steps[node.path] ?? []) : [];
  }

  getParent(node: Node): Node | undefined {
    return node.kind === "step" ? this.paths[node.path] : undefined;
  }

  dispose(): void {
    this.view.dispose();
    this.mark.dispose();
    this.changed.dispose();
  }

  private stepOf(node: StepNode): Step {
    const step = this.walk?.shown.paths[node.path]?.steps[node.step];
    if (step === undefined) {
      throw new Error("the step belongs to a finding that is not shown any more");
    }
    return step;
  }

  private pathItem({ path }: PathNode): vscode.TreeItem {
    const shown = this.walk?.shown.paths[path];
    const expanded = path === 0 ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed;
    const item = new vscode.TreeItem(`from ${shown?.source ?? ""}`, expanded);
    item.description = plain(shown?.request ?? "");
    item.tooltip = item.description;
    return item;
  }

  private stepItem(node: StepNode): vscode.TreeItem {
    const step = this.stepOf(node);
    const item = new vscode.TreeItem(`${"  ".repeat(step.depth)}${plain(step.message)}`);
    item.description = `${step.path}:${step.line}  ${step.code}`;
    item.tooltip = new vscode.MarkdownString().appendText(`${step.path}:${step.line}\n`).appendCodeblock(step.code);
    item.iconPath = new vscode.ThemeIcon(ICONS[step.kind]);
    item.command = { command: "pyrograph.openStep", title: "Open", arguments: [step] };
    return item;
  }
}
