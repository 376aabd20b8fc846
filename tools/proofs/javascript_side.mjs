// Resolve API paths in the types of installed JavaScript packages, with the TypeScript compiler; where a package brings no types, in what
// `require` gives. Reads {"modules": folder, "compiler": folder, "roots": {root: [[steps]]}, "facts": [[[steps], [steps]]]} from standard input, writes
// {root: {"version": ..., "results": [...]}}: "" where the path leads somewhere, else what is missing.
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";

const request = JSON.parse(fs.readFileSync(0, "utf8"));
const folder = path.dirname(path.resolve(request.modules));
const require = createRequire(path.join(folder, "index.js"));
// Version 7 of the compiler has no interface for programs.
const ts = createRequire(path.resolve(request.compiler, "index.js"))("typescript");

const BUILT_IN = new Set(["globalThis", "builtins"]);
const CHUNK = 12; // packages in one program: the types of hundreds do not fit into memory
// Plugins that add members to the types of another package, once they are imported.
const PLUGINS = {
  fastify: ["@fastify/cookie", "@fastify/static", "@fastify/view", "@fastify/multipart", "@fastify/websocket"],
  "@hapi/hapi": ["@hapi/inert", "@hapi/vision"],
  koa: ["koa-body", "koa-bodyparser"],
  express: ["multer", "multer-s3", "express-fileupload", "cookie-parser", "express-session"],
};
const ANYTHING = Symbol("anything");

const facts = new Map();
for (const [left, right] of request.facts) {
  const key = JSON.stringify(left);
  facts.set(key, [...(facts.get(key) ?? []), right]);
}

// Names that packs give to types that a library does not export: known by what returns or holds them.
const makers = new Map();
for (const [left, right] of request.facts) {
  const key = JSON.stringify(right);
  makers.set(key, [...(makers.get(key) ?? []), left]);
}

class Missing extends Error {}

function versionOf(root) {
  if (BUILT_IN.has(root)) return `TypeScript ${ts.version}, lib.esnext and lib.dom`;
  const name = root.split("/").slice(0, root.startsWith("@") ? 2 : 1).join("/");
  const types = "@types/" + (name.startsWith("@") ? name.slice(1).replace("/", "__") : name);
  for (const each of [name, types, "@types/node"]) {
    const file = path.join(folder, "node_modules", each, "package.json");
    if (fs.existsSync(file) && (each !== "@types/node" || isNode(root))) return `${each} ${JSON.parse(fs.readFileSync(file)).version}`;
  }
  return "";
}

function isNode(root) {
  return require("node:module").builtinModules.includes(root);
}

class Resolver {
  constructor(roots) {
    this.file = path.join(folder, "__roots__.mts");
    const plugins = roots.flatMap((root) => PLUGINS[root] ?? []).filter((name) => versionOf(name));
    const names = [...new Set([...roots.filter((root) => !BUILT_IN.has(root)), ...plugins])];
    const text = names.map((root, i) => `import * as m${i} from ${JSON.stringify(root)};`).join("\n") + "\nexport {};\n";
    const options = {
      target: ts.ScriptTarget.ESNext,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      lib: ["lib.esnext.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
      types: ["node", "deno", "bun-types", "chrome", "meteor", "dompurify", "parse"].filter((name) => fs.existsSync(path.join(folder, "node_modules", "@types", name))),
      typeRoots: [path.join(folder, "node_modules", "@types")],
      skipLibCheck: true,
      noEmit: true,
      strict: true,
      allowJs: false,
      esModuleInterop: true,
    };
    const host = ts.createCompilerHost(options);
    const read = host.readFile.bind(host);
    const exists = host.fileExists.bind(host);
    const source = host.getSourceFile.bind(host);
    host.readFile = (file) => (file === this.file ? text : read(file));
    host.fileExists = (file) => file === this.file || exists(file);
    host.getSourceFile = (file, target) => (file === this.file ? ts.createSourceFile(file, text, target, true) : source(file, target));
    this.program = ts.createProgram([this.file], options, host);
    this.checker = this.program.getTypeChecker();
    this.modules = new Map();
    const statements = this.program.getSourceFile(this.file).statements;
    names.forEach((root, i) => this.modules.set(root, this.checker.getSymbolAtLocation(statements[i].moduleSpecifier)));
  }

  resolve(steps, depth = 0) {
    if (depth > 15) return ANYTHING;
    let found;
    let trouble;
    try {
      found = this.own(steps, depth);
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
      trouble = error;
    }
    if (found === undefined || found === ANYTHING || isAny(found.type)) {
      for (const right of facts.get(JSON.stringify(steps)) ?? []) {
        try {
          const other = this.resolve(right, depth + 1);
          const isValue = steps.at(-1) === "()" || steps.includes("#");
          return isValue && other !== ANYTHING && other.symbol ? this.instance(other) : other;
        } catch (error) {
          if (!(error instanceof Missing)) throw error;
        }
      }
    }
    if (trouble) {
      for (const left of steps.at(-1) === "#" ? [] : makers.get(JSON.stringify(steps)) ?? []) {
        try {
          const made = this.resolve(left, depth + 3);
          const isValue = left.at(-1) === "()" || left.includes("#");
          return isValue && made !== ANYTHING ? { type: made.type, also: made.also, isInstance: true } : made;
        } catch (error) {
          if (!(error instanceof Missing)) throw error;
        }
      }
      throw trouble;
    }
    return found;
  }

  own(steps, depth) {
    if (steps.length === 1) {
      if (BUILT_IN.has(steps[0])) return { global: true };
      const module = this.modules.get(steps[0]);
      if (!module) throw new Missing(`no types of ${steps[0]}`);
      return { module };
    }
    const step = steps.at(-1);
    const before = steps.slice(0, -1);
    const holder = this.resolve(before, depth + 1);
    if (holder === ANYTHING) return ANYTHING;
    if (step === "#") return this.instance(holder);
    if (step === "()") return this.result(holder, before);
    if (step.startsWith("[")) return this.element(holder, step.slice(1, -1));
    const found = this.member(holder, step);
    if (found) return found;
    const others = before.at(-1) === "#" ? (facts.get(JSON.stringify(before.slice(0, -1))) ?? []).map((r) => [...r, "#"]) : facts.get(JSON.stringify(before)) ?? [];
    for (const other of others) {
      try {
        return this.resolve([...other, step], depth + 1);
      } catch (error) {
        if (!(error instanceof Missing)) throw error;
      }
    }
    for (const left of before.at(-1) === "#" ? makers.get(JSON.stringify(before.slice(0, -1))) ?? [] : []) {
      try {
        return this.resolve([...left, ...(left.at(-1) === "()" || left.includes("#") ? [] : ["#"]), step], depth + 3);
      } catch (error) {
        if (!(error instanceof Missing)) throw error;
      }
    }
    throw new Missing(`no '${step}' in ${before.join(".")}`);
  }

  /** The value that a module is: module.exports, or its default export. */
  value(holder) {
    if (!holder.module) return holder;
    const whole = this.checker.resolveExternalModuleSymbol?.(holder.module) ?? holder.module;
    if (whole !== holder.module) return this.of(whole);
    const standard = this.checker.getExportsOfModule(holder.module).find((each) => each.name === "default");
    return standard ? this.of(standard) : { type: this.checker.getTypeOfSymbol(holder.module) };
  }

  of(symbol) {
    if (symbol.flags & ts.SymbolFlags.Alias) symbol = this.checker.getAliasedSymbol(symbol);
    const isType = symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias | ts.SymbolFlags.Enum);
    const isValue = symbol.flags & ts.SymbolFlags.Value;
    return { symbol, type: isValue ? this.checker.getTypeOfSymbol(symbol) : undefined, isType };
  }

  member(holder, name) {
    if (holder.global) {
      const symbol = this.checker.resolveName(name, undefined, ts.SymbolFlags.Value | ts.SymbolFlags.Type | ts.SymbolFlags.Namespace, false);
      return symbol ? this.of(symbol) : undefined;
    }
    if (holder.module) {
      const symbol = this.checker.getExportsOfModule(holder.module).find((each) => each.name === name);
      if (symbol) return this.of(symbol);
      return name === "default" ? this.value(holder) : this.member(this.value(holder), name);
    }
    if (holder.symbol?.exports?.size) {
      const symbol = this.checker.getExportsOfModule(holder.symbol).find((each) => each.name === name);
      if (symbol) return this.of(symbol);
    }
    if (holder.type) {
      if (isAny(holder.type)) return ANYTHING;
      for (const type of [holder.type, ...(holder.also ?? [])].flatMap((each) => this.unwrapped(each))) {
        const property = this.checker.getPropertyOfType(this.checker.getApparentType(type), name);
        if (property) return { type: this.checker.getTypeOfSymbol(property), symbol: property.flags & ts.SymbolFlags.Value ? undefined : property };
        if (this.checker.getIndexInfosOfType(type).length) return ANYTHING;
        if (type.flags & (ts.TypeFlags.TypeParameter | ts.TypeFlags.Unknown)) return ANYTHING;
      }
    }
    return undefined;
  }

  /** The type, its alternatives, and what a promise of it gives. */
  unwrapped(type) {
    const found = [];
    const waiting = [type];
    while (waiting.length && found.length < 40) {
      const each = waiting.shift();
      if (found.includes(each)) continue;
      found.push(each);
      if (each.isUnion()) waiting.push(...each.types);
      const awaited = this.checker.getAwaitedType?.(each);
      if (awaited && awaited !== each) waiting.push(awaited);
      const constraint = this.checker.getBaseConstraintOfType(each);
      if (constraint && constraint !== each) waiting.push(constraint);
    }
    return found;
  }

  instance(holder) {
    const value = this.value(holder);
    if (value === ANYTHING) return ANYTHING;
    if (value.isInstance) return value;
    if (value.symbol && value.isType) return { type: this.checker.getDeclaredTypeOfSymbol(value.symbol) };
    if (value.type) {
      const made = this.checker.getSignaturesOfType(value.type, ts.SignatureKind.Construct)[0];
      if (made) return { type: made.getReturnType() };
      const called = this.checker.getSignaturesOfType(value.type, ts.SignatureKind.Call)[0];
      if (called) return { type: called.getReturnType() };
      return { type: value.type };
    }
    return ANYTHING;
  }

  result(holder, before) {
    const value = this.value(holder);
    if (value === ANYTHING || isAny(value.type)) return ANYTHING;
    if (value.type) {
      for (const type of this.unwrapped(value.type)) {
        for (const kind of [ts.SignatureKind.Call, ts.SignatureKind.Construct]) {
          const signatures = this.checker.getSignaturesOfType(type, kind);
          if (signatures.length) return { type: signatures[0].getReturnType(), also: signatures.slice(1).map((each) => each.getReturnType()) };
        }
      }
    }
    if (value.symbol && value.isType) return { type: this.checker.getDeclaredTypeOfSymbol(value.symbol) };
    throw new Missing(`${before.join(".")} cannot be called`);
  }

  element(holder, key) {
    const value = this.value(holder);
    if (value === ANYTHING || !value.type) return ANYTHING;
    const property = this.checker.getPropertyOfType(value.type, key);
    return property ? { type: this.checker.getTypeOfSymbol(property) } : ANYTHING;
  }
}

function isAny(type) {
  return type !== undefined && (type.flags & ts.TypeFlags.Any) !== 0;
}

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
