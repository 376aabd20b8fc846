// Resolve API paths in the types of installed JavaScript packages, with the TypeScript compiler; where a package brings no types, in what
// `require` gives. Reads {"modules": folder, "compiler": folder, "roots": {root: [[steps]]}, "facts": [[[steps], [steps]]]} from standard input, writes
// {root: {"version": ..., "results": [...]}}: "" where the path leads somewhere, else what is missing.
import fs from "node:fs";
import { BUILT_IN, Missing, Resolver, facts, open, require, versionOf } from "./typescript_apis.mjs";

const request = JSON.parse(fs.readFileSync(0, "utf8"));
open(request);

const CHUNK = 12; // packages in one program: the types of hundreds do not fit into memory

/** What `require` gives, looked at without calling anything. */
function atRunTime(root, steps, typed) {
  let holder = require(root);
  let isInstance = false;
  for (const step of steps.slice(1)) {
    if (step === "()" || step.startsWith("[")) {
      if (typed) throw new Missing("what a call returns is not looked at");
      return;
    }
    if (step === "#") {
      isInstance = true;
      continue;
    }
    const from = isInstance ? holder?.prototype ?? holder?.default?.prototype : holder;
    const found = from?.[step] ?? holder?.default?.[step];
    if (found === undefined) {
      if (isInstance && typeof holder === "function" && !holder.prototype && !typed) return;
      throw new Missing(`no '${step}' at run time`);
    }
    holder = found;
    isInstance = false;
  }
}

const answer = {};
const roots = Object.keys(request.roots);
for (let first = 0; first < roots.length; first += CHUNK) {
  const some = roots.slice(first, first + CHUNK);
  // what facts lead to must be there, too
  const reached = new Set(some);
  for (const root of some)
    for (const [left, rights] of facts) if (JSON.parse(left)[0] === root) for (const right of rights) reached.add(right[0]);
  const resolver = new Resolver([...reached]);
  for (const root of some) {
    const version = versionOf(root);
    answer[root] = { version, results: [] };
    for (const steps of request.roots[root]) {
      let outcome = "";
      try {
        resolver.resolve(steps);
      } catch (error) {
        outcome = error instanceof Missing ? error.message : `${error.name} while looking: ${error.message}`.slice(0, 120);
        const typed = !outcome.startsWith("no types of");
        if (error instanceof Missing && version && !BUILT_IN.has(root)) {
          // types may be silent about what is there
          try {
            atRunTime(root, steps, typed);
            outcome = "";
          } catch (other) {
            if (!typed) outcome = other instanceof Missing ? other.message : `not installed: ${String(other.message).split("\n")[0].slice(0, 80)}`;
          }
        } else if (!version) outcome = "not installed";
      }
      answer[root].results.push(outcome);
    }
  }
  process.stderr.write(`${Math.min(first + CHUNK, roots.length)} of ${roots.length}\n`);
}
process.stdout.write(JSON.stringify(answer), () => process.exit(0));
