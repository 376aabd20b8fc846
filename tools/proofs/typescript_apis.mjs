// APIs in the types of installed JavaScript packages, by the TypeScript compiler. ``open`` gets {"modules": folder, "compiler": folder,
// "facts": [[[steps], [steps]]]}, facts being what packs say of types, which helps where a library says nothing.
import fs from "node:fs";
import path from "node:path";
import { createRequire, builtinModules } from "node:module";

export const BUILT_IN = new Set(["globalThis", "builtins"]);
export const ANYTHING = Symbol("anything");
// Plugins that add members to the types of another package, once they are imported.
const PLUGINS = {
  fastify: ["@fastify/cookie", "@fastify/static", "@fastify/view", "@fastify/multipart", "@fastify/websocket"],
  "@hapi/hapi": ["@hapi/inert", "@hapi/vision"],
  koa: ["koa-body", "koa-bodyparser"],
  express: ["multer", "multer-s3", "express-fileupload", "cookie-parser", "express-session"],
};

export const facts = new Map(); // path -> the types that packs relate it to
const makers = new Map(); // names that packs give to types that a library does not export -> what returns or holds them
export let folder;
export let require;
export let ts;

export function open(request) {
  folder = path.dirname(path.resolve(request.modules));
  require = createRequire(path.join(folder, "index.js"));
  // Version 7 of the compiler has no interface for programs.
  ts = createRequire(path.resolve(request.compiler, "index.js"))("typescript");
  for (const [left, right] of request.facts) {
    for (const [map, key, value] of [[facts, left, right], [makers, right, left]]) {
      const name = JSON.stringify(key);
      map.set(name, [...(map.get(name) ?? []), value]);
    }
  }
}

export class Missing extends Error {}

export function versionOf(root) {
  if (BUILT_IN.has(root)) return `TypeScript ${ts.version}, lib.esnext and lib.dom`;
  const name = root.split("/").slice(0, root.startsWith("@") ? 2 : 1).join("/");
  const types = "@types/" + (name.startsWith("@") ? name.slice(1).replace("/", "__") : name);
  for (const each of [name, types, "@types/node"]) {
    const file = path.join(folder, "node_modules", each, "package.json");
    if (fs.existsSync(file) && (each !== "@types/node" || isNode(root))) return `${each} ${JSON.parse(fs.readFileSync(file)).version}`;
  }
  return "";
}

export function isNode(root) {
  return builtinModules.includes(root);
}

export class Resolver {
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

export function isAny(type) {
  return type !== undefined && (type.flags & ts.TypeFlags.Any) !== 0;
}
