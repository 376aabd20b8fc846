/** What the server answers to `pyrograph.showPath`, and the steps of it in order. Knows nothing of VS Code. */

export interface Position {
  line: number;
  character: number;
}

export interface Step {
  location: { uri: string; range: { start: Position; end: Position } };
  path: string;
  /** From 1. */
  line: number;
  kind: "source" | "flow" | "call" | "return" | "store" | "load" | "assumed" | "sink";
  message: string;
  /** How many calls deep, from 0. */
  depth: number;
  code: string;
}

export interface Path {
  source: string;
  /** By which request data gets there; "" where it is not known. */
  request: string;
  steps: Step[];
}

export interface Shown {
  fingerprint: string;
  rule: string;
  title: string;
  severity: "critical" | "high" | "medium" | "low";
  confidence: "high" | "medium" | "low";
  message: string;
  paths: Path[];
}

/** Names of VS Code's own icons for each kind of step. */
export const ICONS: Readonly<Record<Step["kind"], string>> = {
  source: "debug-start",
  flow: "arrow-down",
  call: "arrow-right",
  return: "arrow-left",
  store: "arrow-circle-down",
  load: "arrow-circle-up",
  assumed: "question",
  sink: "flame",
};

/** Text without the backquotes that mark code. */
export function plain(text: string): string {
  return text.replaceAll("`", "");
}

/** Where one is on one path of a finding. Moving past an end stays there. */
export class Walk {
  private at = -1;
  private path = 0;

  constructor(readonly shown: Shown) {}

  /** Go to a step that somebody chose. */
  choose(path: number, step: number): void {
    this.path = path;
    this.at = step;
  }

  /** The next (1) or previous (-1) step, with its place in the tree; undefined where the path has none. */
  move(by: 1 | -1): { path: number; step: number } | undefined {
    const steps = this.shown.paths[this.path]?.steps ?? [];
    if (steps.length === 0) {
      return undefined;
    }
    this.at = Math.min(Math.max(this.at + by, 0), steps.length - 1);
    return { path: this.path, step: this.at };
  }
}
