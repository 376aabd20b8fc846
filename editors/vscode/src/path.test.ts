import assert from "node:assert/strict";
import { test } from "node:test";
import { ICONS, plain, Walk, type Shown, type Step } from "./path";

function step(kind: Step["kind"], line: number): Step {
  const at = { line: line - 1, character: 0 };
  return { location: { uri: "file:///a.py", range: { start: at, end: at } }, path: "a.py", line, kind, message: "", depth: 0, code: "" };
}

const SHOWN: Shown = {
  fingerprint: "f", rule: "python/xss", title: "XSS", severity: "high", confidence: "high", message: "",
  paths: [
    { source: "the request", request: "", steps: [step("source", 1), step("call", 2), step("sink", 3)] },
    { source: "a cookie", request: "", steps: [step("source", 7), step("sink", 3)] },
  ],
};

test("a walk begins at the source and stops at the sink", () => {
  const walk = new Walk(SHOWN);
  assert.deepEqual([1, 1, 1, 1].map(() => walk.move(1)?.step), [0, 1, 2, 2]);
  assert.deepEqual([1, 1, 1].map(() => walk.move(-1)?.step), [1, 0, 0]);
});

test("a walk goes on from the step that was chosen", () => {
  const walk = new Walk(SHOWN);
  walk.choose(1, 0);
  assert.deepEqual(walk.move(1), { path: 1, step: 1 });
});

test("a path without steps has nowhere to go", () => {
  assert.equal(new Walk({ ...SHOWN, paths: [] }).move(1), undefined);
});

test("code in messages is shown without backquotes, and each kind has an icon", () => {
  assert.equal(plain("reaches `run`"), "reaches run");
  assert.equal(Object.values(ICONS).every((name) => name.length > 0), true);
});
