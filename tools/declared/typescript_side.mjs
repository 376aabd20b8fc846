// What JavaScript packages declare of their types, read by the TypeScript compiler. Reads {"modules": folder, "compiler": folder,
// "roots": [root], "types": [[steps]], "members": {type: [name]}, "facts": [[[steps], [steps]]]} from standard input: "types" are those that
// packs name, "members" of which they describe these. Writes
// {root: {"version": ..., "facts": [[relation, [steps], [steps]]]}}. A "class" is one that a program can make an instance of. The left side of a "parameter" ends in the place of the function among
// the arguments, and in that of its parameter.
import fs from "node:fs";
import { builtinModules } from "node:module";
import { ANYTHING, Missing, Resolver, facts, isAny, isNode, open, ts, versionOf } from "../proofs/typescript_apis.mjs";

const request = JSON.parse(fs.readFileSync(0, "utf8"));
open(request);

const CHUNK = 8; // packages in one program: the types of hundreds do not fit into memory
const MAX_SIGNATURES = 16; // overloads that are read of one function
const MAX_ALTERNATIVES = 3; // types of one value; more say nothing
const MAX_PARAMETERS = 4; // of a function that an API calls
const MAX_TYPES = 600; // of one module
const MAX_NESTED = 2; // objects within objects of a module
const PROMISES = new Set(["Promise", "PromiseLike", "Bluebird", "CancelablePromise"]);
const HIDDEN = /^(default$|export=$|_)/;
const CHAINED = new Set(["on", "once"]);
const LISTS = new Set(["Array", "ReadonlyArray", "Set", "ReadonlySet"]);
const BUILT_IN = new Set(["typescript", "node", "bun-types", "undici-types", ...builtinModules]);

const packageOf = (root) => root.split("/").slice(0, root.startsWith("@") ? 2 : 1).join("/");

const packages = new Map();
for (const root of request.roots) packages.set(packageOf(root), [...(packages.get(packageOf(root)) ?? []), root]);

/** The package that declares a symbol; "" for one of the language or of a module of the run time. */
function origin(symbol) {
  const file = symbol.declarations?.[0]?.getSourceFile().fileName ?? "";
  const parts = file.split("/node_modules/").at(-1).split("/");
  const scoped = parts[0].startsWith("@") ? parts.slice(0, 2) : parts.slice(0, 1);
  const name = scoped[0] === "@types" ? (scoped[1].includes("__") ? "@" + scoped[1].replace("__", "/") : scoped[1]) : scoped.join("/");
  return BUILT_IN.has(name) || !file.includes("/node_modules/") ? "" : name;
}

class Reader {
  constructor(resolver) {
    this.resolver = resolver;
    this.checker = resolver.checker;
    this.named = new Map(); // symbol -> names in packs
    for (const steps of request.types) if (resolver.modules.get(steps[0])) this.nameOfPack(steps);
  }

  nameOfPack(steps) {
    let found;
    try {
      found = this.resolver.resolve([...steps, "#"]);
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
    }
    if (!found || found === ANYTHING || !found.type || isAny(found.type)) return;
    const type = this.alternatives(found.type)[0];
    const symbol = type && this.symbolOf(type);
    if (symbol && origin(symbol)) this.named.set(symbol, [...(this.named.get(symbol) ?? []), steps]);
  }

  /** The symbol of a type that has a name of its own. */
  symbolOf(type) {
    const isClass = type.symbol && type.symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface) && origin(type.symbol);
    const symbol = type.aliasSymbol && (!isClass || this.named.has(type.aliasSymbol)) ? type.aliasSymbol : type.symbol;
    const isNamed = symbol && symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias);
    return isNamed && symbol.name !== "__type" ? symbol : undefined;
  }

  /** What a value of the type is, once it was awaited: the types of a union or an intersection, without null. */
  alternatives(type, depth = 0) {
    if (depth > 4 || isAny(type)) return [];
    const symbol = type.aliasSymbol ?? type.symbol;
    if (symbol && PROMISES.has(symbol.name)) {
      const inner = type.aliasTypeArguments?.[0] ?? this.checker.getTypeArguments?.(type)?.[0];
      return inner ? this.alternatives(inner, depth + 1) : [];
    }
    if (type.aliasSymbol && origin(type.aliasSymbol) && !(type.flags & ts.TypeFlags.Union)) return [type];
    if (type.isUnion() || type.isIntersection()) return type.types.flatMap((each) => this.alternatives(each, depth + 1));
    return [type];
  }

  members(type) {
    return this.checker.getPropertiesOfType(type).filter((each) => {
      const flags = each.valueDeclaration ? ts.getCombinedModifierFlags(each.valueDeclaration) : 0;
      const isHidden = flags & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected) || !/^[A-Za-z$][\w$]*$/.test(each.name);
      // of what the language and the run time declare, what chains are made with
      return !isHidden && (origin(each) || CHAINED.has(each.name));
    });
  }
}

/** What one module declares. */
class Module extends Reader {
  constructor(resolver, root) {
    super(resolver);
    this.root = root;
    this.package = packageOf(root);
    this.exported = new Map(); // symbol -> the path under which the module exports it
    this.found = new Map();
    this.waiting = [];
    this.seen = new Set();
  }

  add(relation, left, right) {
    const isOwn = JSON.stringify(relation === "returns" ? left.slice(0, -1) : left) === JSON.stringify(right);
    if (!isOwn) this.found.set(JSON.stringify([relation, left, right]), [relation, left, right]);
  }

  read() {
    const module = this.resolver.modules.get(this.root);
    if (!module) return [];
    const whole = this.resolver.value({ module });
    this.whole = whole.type?.aliasSymbol ?? whole.type?.symbol;
    const exports = this.checker.getExportsOfModule(module).map((each) => this.target(each));
    for (const each of exports) this.register([this.root, each.exportedAs], each, 0);
    for (const names of this.named.values()) for (const steps of names) if (steps[0] === this.root) this.visitPack(steps);
    for (const each of exports) this.export([this.root, each.exportedAs], each, 0);
    if (whole.symbol && whole.symbol.flags & ts.SymbolFlags.Class) this.class([this.root], whole.symbol);
    else if (whole.type) {
      this.value([this.root], whole.type, 0);
      for (const each of this.members(whole.type)) if (!HIDDEN.test(each.name)) this.value([this.root, each.name], this.checker.getTypeOfSymbol(each), 1);
    }
    while (this.waiting.length) this.type(...this.waiting.shift());
    return [...this.found.values()];
  }

  target(symbol) {
    const name = symbol.name;
    const real = symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
    return { real, exportedAs: name };
  }

  register(path, { real, exportedAs }, depth) {
    if (HIDDEN.test(exportedAs)) return;
    if (path.length < (this.exported.get(real)?.length ?? Infinity)) this.exported.set(real, path);
    if (depth < MAX_NESTED && real.flags & ts.SymbolFlags.Namespace)
      for (const each of this.checker.getExportsOfModule(real)) {
        const inner = this.target(each);
        this.register([...path, inner.exportedAs], inner, depth + 1);
      }
  }

  export(path, { real, exportedAs }, depth) {
    if (HIDDEN.test(exportedAs) || !origin(real)) return;
    if (real.flags & ts.SymbolFlags.Class) this.class(path, real);
    else if (real.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias)) this.alias(path, real);
    if (real.flags & (ts.SymbolFlags.Function | ts.SymbolFlags.Variable)) this.value(path, this.checker.getTypeOfSymbol(real), 0);
    if (depth < MAX_NESTED && real.flags & ts.SymbolFlags.Namespace)
      for (const each of this.checker.getExportsOfModule(real)) {
        const inner = this.target(each);
        this.export([...path, inner.exportedAs], inner, depth + 1);
      }
  }

  visitPack(steps) {
    try {
      const found = this.resolver.resolve([...steps, "#"]);
      const type = found.type && this.alternatives(found.type)[0];
      if (type && this.symbolOf(type)) this.name(type);
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
    }
  }

  class(path, symbol) {
    this.alias(path, symbol);
    const made = this.name(this.checker.getDeclaredTypeOfSymbol(symbol));
    if (made) this.found.set(JSON.stringify(["class", made]), ["class", path, made]);
    for (const each of this.members(this.checker.getTypeOfSymbol(symbol)))
      if (each.name !== "prototype") this.value([...path, each.name], this.checker.getTypeOfSymbol(each), 1);
  }

  alias(path, symbol) {
    const type = this.checker.getDeclaredTypeOfSymbol(symbol);
    const types = this.alternatives(type);
    for (const each of type.flags & ts.TypeFlags.Union && types.length > 1 ? [] : types) {
      const name = this.name(each);
      if (name) this.add(each.symbol === symbol || each.aliasSymbol === symbol ? "alias" : "extends", path, name);
    }
  }

  /** The name of a type, under which it is then looked at; undefined for one that has none or is the language's. */
  name(type) {
    const symbol = this.symbolOf(type);
    if (!symbol) return undefined;
    const home = origin(symbol);
    if (!home) return undefined;
    const names = this.named.get(symbol) ?? [];
    const own = names.find((each) => each[0] === this.root) ?? names.find((each) => packageOf(each[0]) === this.package);
    const name = own ?? names[0] ?? this.exported.get(symbol) ?? [home, symbol.name];
    const isOwn = packageOf(name[0]) === this.package || !packages.has(packageOf(name[0]));
    if (isOwn && this.seen.size < MAX_TYPES && !this.seen.has(symbol)) {
      this.seen.add(symbol);
      this.waiting.push([name, symbol]);
    }
    return name;
  }

  type(name, symbol) {
    const type = this.checker.getDeclaredTypeOfSymbol(symbol);
    const parts = type.isClassOrInterface() ? this.checker.getBaseTypes(type) : type.isIntersection() ? type.types : [];
    const bases = new Map();
    for (const each of parts) {
      const base = this.name(each);
      if (base) {
        this.add("extends", name, base);
        const inherited = this.checker.getPropertiesOfType(each);
        for (const member of inherited) bases.set(member.name, member);
        // what the packs describe is inherited: what else extends the base has it, too
        const described = request.members[JSON.stringify(name)] ?? [];
        const own = new Set(symbol.members ? [...symbol.members.keys()].map(String) : []);
        if (inherited.some((member) => described.includes(member.name) && !own.has(member.name) && origin(member))) this.add("extends", base, name);
      }
    }
    const isDescribed = JSON.stringify(name) in request.members;
    const isObject = type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection); // and not one that depends on a parameter
    for (const each of isObject ? this.members(type) : []) {
      const inherited = bases.get(each.name);
      const isInherited = inherited && (inherited.valueDeclaration ?? inherited) === (each.valueDeclaration ?? each);
      // the base has it; that it returns the object itself matters where the type has more than the base
      if (isInherited && !isDescribed) continue;
      this.value([...name, "#", each.name], this.checker.getTypeOfSymbol(each), MAX_NESTED, name, isInherited);
    }
    if (isObject) this.calls([...name, "#"], type, name, false);
  }

  /** The names of the types that a value may have, with "[*]" behind the path of a list of such. */
  rights(path, type, self) {
    const found = [];
    for (const each of this.alternatives(type)) {
      if (each.isThisType) {
        if (self) found.push([path, self, true]);
        continue;
      }
      if (each.flags & ts.TypeFlags.TypeParameter) continue;
      const symbol = each.aliasSymbol ?? each.symbol;
      if (symbol && LISTS.has(symbol.name) && !origin(symbol)) {
        const inner = this.checker.getTypeArguments(each)[0];
        for (const one of inner ? this.alternatives(inner) : []) {
          const name = one.flags & ts.TypeFlags.TypeParameter ? undefined : this.name(one);
          if (name) found.push([[...path, "[*]"], name, false]);
        }
        continue;
      }
      const name = this.name(each);
      if (name) found.push([path, name, false]);
      // another one of what the module is
      if (symbol && symbol === this.whole && path.at(-1) === "()" && !path.includes("#")) this.add("alias", path, [this.root]);
    }
    return new Set(found.map((each) => JSON.stringify(each[1]))).size > MAX_ALTERNATIVES ? [] : found;
  }

  calls(path, type, self, onlyOwn) {
    let isCalled = false;
    for (const each of this.alternatives(type)) {
      const signatures = this.checker.getSignaturesOfType(each, ts.SignatureKind.Call);
      const made = this.checker.getSignaturesOfType(each, ts.SignatureKind.Construct);
      isCalled ||= signatures.length > 0 || made.length > 0;
      for (const signature of [...signatures.slice(0, MAX_SIGNATURES), ...made.slice(0, MAX_SIGNATURES)]) {
        if (signatures.length > 1 && this.isOfOneEvent(signature)) continue;
        for (const [left, right, isThis] of this.rights([...path, "()"], signature.getReturnType(), self))
          if (isThis || !onlyOwn) this.add(left.at(-1) === "()" ? "returns" : "member", left, right);
        if (!onlyOwn) this.parameters(path, signature);
      }
    }
    return isCalled;
  }

  /** Whether the overload is for one text alone: the name of an event. */
  isOfOneEvent(signature) {
    return signature.getParameters().some((each) => each.valueDeclaration && this.checker.getTypeOfSymbolAtLocation(each, each.valueDeclaration).isStringLiteral());
  }

  /** The types of what a function that is passed gets. */
  parameters(path, signature) {
    for (const [index, parameter] of signature.getParameters().entries()) {
      const declaration = parameter.valueDeclaration;
      if (!declaration || declaration.dotDotDotToken) return;
      const type = this.checker.getNonNullableType(this.checker.getTypeOfSymbolAtLocation(parameter, declaration));
      // what the function gets depends on the name of an event
      if (type.flags & (ts.TypeFlags.StringLiteral | ts.TypeFlags.TypeParameter) || (type.isUnion() && type.types.every((each) => each.isStringLiteral()))) return;
      if (type.symbol && origin(type.symbol) && type.symbol.flags & ts.SymbolFlags.Class) continue;
      for (const called of this.checker.getSignaturesOfType(type, ts.SignatureKind.Call).slice(0, 1))
        for (const [at, each] of called.getParameters().slice(0, MAX_PARAMETERS).entries())
          if (each.valueDeclaration && !each.valueDeclaration.dotDotDotToken)
            for (const [left, right] of this.rights([], this.checker.getTypeOfSymbolAtLocation(each, each.valueDeclaration)))
              if (!left.length) this.add("parameter", [...path, String(index), String(at)], right);
    }
  }

  value(path, type, depth, self = undefined, isInherited = false) {
    if (this.calls(path, type, self, isInherited) || isInherited) return;
    const held = this.rights(path, type, self);
    for (const [left, right] of path.length > 1 ? held : []) this.add("member", left, right);
    const isPlain = !held.length && type.flags & ts.TypeFlags.Object && type.symbol && origin(type.symbol) && !this.symbolOf(type);
    if (isPlain && depth < MAX_NESTED)
      for (const each of this.members(type)) this.value([...path, each.name], this.checker.getTypeOfSymbol(each), depth + 1);
  }
}

const answer = {};
const waiting = [...packages.values()];
while (waiting.length) {
  const some = waiting.splice(0, CHUNK).flat().filter(versionOf);
  const reached = new Set(some);
  for (const [left, rights] of facts) if (some.includes(JSON.parse(left)[0])) for (const right of rights) if (versionOf(right[0])) reached.add(right[0]);
  const resolver = new Resolver([...reached]);
  for (const root of some) answer[root] = { version: versionOf(root), facts: isNode(root) ? [] : new Module(resolver, root).read() };
  process.stderr.write(`${waiting.length} packages left\n`);
}
process.stdout.write(JSON.stringify(answer), () => process.exit(0));
