"""The matrix for JavaScript: CommonJS and ES modules."""

from __future__ import annotations

from collections.abc import Iterator

from tests.binding.matrix import Call, Cell, Definition, Import, alternating, block, fits, has

PACK = """
library = "probe"
language = "javascript"

[source]
http = ["probe.source()"]

[sink]
code-injection = ["probe.sink(0)"]

[[example]]
name = "reported"
code = '''
import { sink, source } from 'probe';
sink(source());  // expect: code-injection from line 3
'''

[[example]]
name = "silent"
code = '''
import { sink } from 'probe';
sink('a');
'''
"""

SHARED: dict[str, str] = {}
BODY = "sink(a);  // to 0\nsink(b);  // to 1"
METHOD = has("method")
CLASS = "class Unit {\n  run(a, b) {\n    BODY\n  }\n}"
CREATE_CLASS = """
function _defineProperties(target, props) {
  for (var i = 0; i < props.length; i++) {
    var descriptor = props[i];
    descriptor.enumerable = descriptor.enumerable || false;
    Object.defineProperty(target, descriptor.key, descriptor);
  }
}
function _createClass(Constructor, protoProps, staticProps) {
  if (protoProps) _defineProperties(Constructor.prototype, protoProps);
  if (staticProps) _defineProperties(Constructor, staticProps);
  return Constructor;
}
"""

DEFINITIONS = [
    Definition("declaration", "function run(a, b) {\n  BODY\n}", "NAME", "run"),
    Definition("expression", "const run = function (a, b) {\n  BODY\n};", "NAME", "run"),
    Definition("arrow", "const run = (a, b) => {\n  BODY\n};", "NAME", "run"),
    Definition("async arrow", "const run = async (a, b) => {\n  BODY\n};", "NAME", "run"),
    Definition("default", "function run(a, b = 1) {\n  BODY\n}", "NAME", "run"),
    Definition("rest", "function run(...args) {\n  const [a, b] = args;\n  BODY\n}", "NAME", "run"),
    Definition("rest after one", "function run(a, ...rest) {\n  const b = rest[0];\n  BODY\n}", "NAME", "run"),
    Definition(
        "arguments",
        "function run() {\n  sink(arguments[0]);  // to 0\n  sink(arguments[1]);  // to 1\n}",
        "NAME",
        "run",
    ),
    Definition(
        "arguments slice",
        "function run() {\n  const args = [].slice.call(arguments);\n  const a = args[0];\n  const b = args[1];\n  BODY\n}",
        "NAME",
        "run",
    ),
    Definition(
        "arguments slice from 1",
        "function run(a) {\n  var args = Array.prototype.slice.call(arguments, 1);\n  const b = args[0];\n  BODY\n}",
        "NAME",
        "run",
    ),
    Definition(
        "arguments from",
        "function run() {\n  const args = Array.from(arguments);\n  const a = args[0];\n  const b = args[1];\n  BODY\n}",
        "NAME",
        "run",
    ),
    Definition(
        "arguments passed on",
        "function target(a, b) {\n  BODY\n}\nfunction run() {\n  return target.apply(this, arguments);\n}",
        "NAME",
        "run",
    ),
    Definition(
        "arguments spread on",
        "function target(a, b) {\n  BODY\n}\nfunction run() {\n  return target(...arguments);\n}",
        "NAME",
        "run",
    ),
    Definition(
        "rest passed on",
        "function target(a, b) {\n  BODY\n}\nfunction run(...args) {\n  return target(...args);\n}",
        "NAME",
        "run",
    ),
    Definition("method", CLASS, "new NAME().run", "Unit", METHOD | has("class")),
    Definition("method of an instance", CLASS + "\nconst unit = new Unit();", "NAME.run", "unit", METHOD),
    Definition(
        "inherited method",
        CLASS.replace("Unit", "Base") + "\nclass Unit extends Base {}",
        "new NAME().run",
        "Unit",
        METHOD | has("class"),
    ),
    Definition(
        "super's method",
        CLASS.replace("Unit", "Base") + "\nclass Unit extends Base {\n  run(a, b) {\n    super.run(a, b);\n  }\n}",
        "new NAME().run",
        "Unit",
        METHOD | has("class"),
    ),
    Definition(
        "method that calls a method",
        "class Unit {\n  run(a, b) {\n    this.more(b, a);\n  }\n  more(b, a) {\n    BODY\n  }\n}",
        "new NAME().run",
        "Unit",
        METHOD | has("class", "this"),
    ),
    Definition(
        "method by name",
        "class Unit {\n  run(a, b) {\n    this['do' + 'It'](a, b);\n  }\n  doIt(a, b) {\n    BODY\n  }\n}",
        "new NAME().run",
        "Unit",
        METHOD | has("class", "this"),
    ),
    Definition("static method", "class Unit {\n  static run(a, b) {\n    BODY\n  }\n}", "NAME.run", "Unit", METHOD),
    Definition("class field", "class Unit {\n  run = (a, b) => {\n    BODY\n  };\n}", "new NAME().run", "Unit", METHOD),
    Definition(
        "bound in the constructor",
        "class Unit {\n  constructor() {\n    this.run = this.run.bind(this);\n  }\n  run(a, b) {\n    BODY\n  }\n}",
        "new NAME().run",
        "Unit",
        METHOD,
    ),
    Definition(
        "getter",
        "function target(a, b) {\n  BODY\n}\nclass Unit {\n  get run() {\n    return target;\n  }\n}",
        "new NAME().run",
        "Unit",
        METHOD,
    ),
    Definition("constructor", "class Unit {\n  constructor(a, b) {\n    BODY\n  }\n}", "new NAME", "Unit", has("new")),
    Definition("constructor function", "function Unit(a, b) {\n  BODY\n}", "new NAME", "Unit", has("new")),
    Definition("object method", "const unit = {\n  run(a, b) {\n    BODY\n  },\n};", "NAME.run", "unit", METHOD),
    Definition(
        "object function", "const unit = {\n  run: function (a, b) {\n    BODY\n  },\n};", "NAME.run", "unit", METHOD
    ),
    Definition("object arrow", "const unit = {\n  run: (a, b) => {\n    BODY\n  },\n};", "NAME.run", "unit", METHOD),
    Definition(
        "object async method", "const unit = {\n  async run(a, b) {\n    BODY\n  },\n};", "NAME.run", "unit", METHOD
    ),
    Definition(
        "object method that calls a method",
        "const unit = {\n  run(a, b) {\n    this.more(b, a);\n  },\n  more(b, a) {\n    BODY\n  },\n};",
        "NAME.run",
        "unit",
        METHOD | has("this"),
    ),
    Definition(
        "object of a name", "function run(a, b) {\n  BODY\n}\nconst unit = { run };", "NAME.run", "unit", METHOD
    ),
    Definition(
        "frozen object", "const unit = Object.freeze({\n  run(a, b) {\n    BODY\n  },\n});", "NAME.run", "unit", METHOD
    ),
    Definition(
        "Object.create",
        "const base = {\n  run(a, b) {\n    BODY\n  },\n};\nconst unit = Object.create(base);",
        "NAME.run",
        "unit",
        METHOD,
    ),
    Definition(
        "Object.assign",
        "const unit = Object.assign({}, {\n  run(a, b) {\n    BODY\n  },\n});",
        "NAME.run",
        "unit",
        METHOD,
    ),
    Definition(
        "spread object",
        "const base = {\n  run(a, b) {\n    BODY\n  },\n};\nconst unit = { ...base };",
        "NAME.run",
        "unit",
        METHOD,
    ),
    Definition(
        "object's member assigned",
        "const unit = {};\nunit.run = function (a, b) {\n  BODY\n};",
        "NAME.run",
        "unit",
        METHOD,
    ),
    Definition(
        "nested object",
        "const unit = {\n  inner: {\n    run(a, b) {\n      BODY\n    },\n  },\n};",
        "NAME.inner.run",
        "unit",
        METHOD,
    ),
    Definition(
        "namespace function", "function unit() {}\nunit.run = function (a, b) {\n  BODY\n};", "NAME.run", "unit", METHOD
    ),
    Definition(
        "prototype member",
        "function Unit() {}\nUnit.prototype.run = function (a, b) {\n  BODY\n};",
        "new NAME().run",
        "Unit",
        METHOD | has("class"),
    ),
    Definition(
        "prototype object",
        "function Unit() {}\nUnit.prototype = {\n  run(a, b) {\n    BODY\n  },\n};",
        "new NAME().run",
        "Unit",
        METHOD | has("class"),
    ),
    Definition(
        "prototype alias",
        "function Unit() {}\nconst proto = Unit.prototype;\nproto.run = function (a, b) {\n  BODY\n};",
        "new NAME().run",
        "Unit",
        METHOD | has("class"),
    ),
    Definition(
        "prototype of a class",
        "class Unit {}\nUnit.prototype.run = function (a, b) {\n  BODY\n};",
        "new NAME().run",
        "Unit",
        METHOD | has("class"),
    ),
    Definition(
        "prototype assign",
        "function Unit() {}\nObject.assign(Unit.prototype, {\n  run(a, b) {\n    BODY\n  },\n});",
        "new NAME().run",
        "Unit",
        METHOD | has("class"),
    ),
    Definition(
        "prototype defineProperty",
        "function Unit() {}\nObject.defineProperty(Unit.prototype, 'run', {\n  value: function (a, b) {\n    BODY\n  },\n});",
        "new NAME().run",
        "Unit",
        METHOD | has("class"),
    ),
    Definition(
        "prototype createClass",
        CREATE_CLASS
        + "var Unit = (function () {\n  function Unit() {}\n  _createClass(Unit, [\n    {\n      key: 'run',\n      value: function run(a, b) {\n        BODY\n      },\n    },\n  ]);\n  return Unit;\n})();",
        "new NAME().run",
        "Unit",
        METHOD | has("class"),
    ),
    Definition(
        "compiled class",
        "var Unit = /** @class */ (function () {\n  function Unit() {}\n  Unit.prototype.run = function (a, b) {\n    BODY\n  };\n  return Unit;\n})();",
        "new NAME().run",
        "Unit",
        METHOD | has("class"),
    ),
    Definition(
        "util.inherits",
        "const util = require('util');\nfunction Base() {}\nBase.prototype.run = function (a, b) {\n  BODY\n};\nfunction Unit() {}\nutil.inherits(Unit, Base);",
        "new NAME().run",
        "Unit",
        METHOD | has("class"),
    ),
    Definition(
        "module pattern",
        "const unit = (function () {\n  function run(a, b) {\n    BODY\n  }\n  return { run: run };\n})();",
        "NAME.run",
        "unit",
        METHOD,
    ),
    Definition(
        "factory",
        "function make() {\n  return {\n    run(a, b) {\n      BODY\n    },\n  };\n}",
        "NAME().run",
        "make",
        METHOD,
    ),
    Definition("factory of a function", "function make() {\n  return (a, b) => {\n    BODY\n  };\n}", "NAME()", "make"),
    Definition(
        "object in a function",
        "function make() {\n  const self = {};\n  self.run = function (a, b) {\n    BODY\n  };\n  return self;\n}",
        "NAME().run",
        "make",
        METHOD,
    ),
    Definition("bound", "function target(a, b) {\n  BODY\n}\nconst run = target.bind(null);", "NAME", "run"),
    Definition(
        "partly bound", "function target(first, a, b) {\n  BODY\n}\nconst run = target.bind(null, 1);", "NAME", "run"
    ),
    Definition(
        "lodash partial",
        "const _ = require('lodash');\nfunction target(first, a, b) {\n  BODY\n}\nconst run = _.partial(target, 1);",
        "NAME",
        "run",
    ),
    Definition(
        "lodash bind",
        "const _ = require('lodash');\nfunction target(a, b) {\n  BODY\n}\nconst run = _.bind(target, null);",
        "NAME",
        "run",
    ),
    Definition(
        "wrapped",
        "function traced(f) {\n  return function (...args) {\n    return f.apply(this, args);\n  };\n}\nconst run = traced(function (a, b) {\n  BODY\n});",
        "NAME",
        "run",
    ),
    Definition(
        "wrapped by arguments",
        "function traced(f) {\n  return function () {\n    return f.apply(this, arguments);\n  };\n}\nconst run = traced(function (a, b) {\n  BODY\n});",
        "NAME",
        "run",
    ),
    Definition(
        "wrapped by parameters",
        "const traced = (f) => (one, two) => f(one, two);\nconst run = traced((a, b) => {\n  BODY\n});",
        "NAME",
        "run",
    ),
    Definition(
        "wrapped by a library",
        "const elsewhere = require('elsewhere');\nconst run = elsewhere((a, b) => {\n  BODY\n});",
        "NAME",
        "run",
        has("unknown"),
    ),
    Definition("table", "const table = {\n  go(a, b) {\n    BODY\n  },\n};", "NAME['go']", "table"),
    Definition(
        "registry",
        "const table = {};\nfunction register(name, f) {\n  table[name] = f;\n}\nregister('go', (a, b) => {\n  BODY\n});",
        "NAME.go",
        "table",
        METHOD,
    ),
    Definition("map", "const table = new Map();\ntable.set('go', (a, b) => {\n  BODY\n});", "NAME.get('go')", "table"),
    Definition("pushed", "const table = [];\ntable.push((a, b) => {\n  BODY\n});", "NAME[0]", "table"),
    Definition(
        "loop of tables",
        "const table = {};\n['go', 'stop'].forEach((name) => {\n  table[name] = (a, b) => {\n    BODY\n  };\n});",
        "NAME.go",
        "table",
        METHOD,
    ),
]

COMMON_JS = has("commonjs")
IMPORTS = [
    Import(
        "module.exports object", {"lib.js": "CODE\nmodule.exports = { X };"}, "const { X } = require('./lib');", "X"
    ),
    Import("module object", {"lib.js": "CODE\nmodule.exports = { X };"}, "const lib = require('./lib');", "lib.X"),
    Import("module.exports", {"lib.js": "CODE\nmodule.exports = X;"}, "const other = require('./lib');", "other"),
    Import("exports member", {"lib.js": "CODE\nexports.X = X;"}, "const lib = require('./lib');", "lib.X"),
    Import("module.exports member", {"lib.js": "CODE\nmodule.exports.X = X;"}, "const { X } = require('./lib');", "X"),
    Import(
        "exports both", {"lib.js": "CODE\nmodule.exports = exports = X;"}, "const other = require('./lib');", "other"
    ),
    Import(
        "renamed",
        {"lib.js": "CODE\nmodule.exports = { other: X };"},
        "const { other: again } = require('./lib');",
        "again",
    ),
    Import("member of require", {"lib.js": "CODE\nexports.X = X;"}, "const X = require('./lib').X;", "X"),
    Import("in a function", {"lib.js": "CODE\nexports.X = X;"}, "", "X", "const { X } = require('./lib');"),
    Import(
        "compiled",
        {
            "lib.js": '"use strict";\nObject.defineProperty(exports, "__esModule", { value: true });\nexports.X = void 0;\nCODE\nexports.X = X;'
        },
        "const lib_1 = require('./lib');",
        "(0, lib_1.X)",
    ),
    Import(
        "compiled default",
        {
            "lib.js": '"use strict";\nObject.defineProperty(exports, "__esModule", { value: true });\nCODE\nexports.default = X;'
        },
        "var __importDefault = (this && this.__importDefault) || function (mod) {\n  return (mod && mod.__esModule) ? mod : { \"default\": mod };\n};\nconst lib_1 = __importDefault(require('./lib'));",
        "lib_1.default",
    ),
    Import(
        "babel default",
        {"lib.js": '"use strict";\nCODE\nexports.default = X;'},
        "function _interopRequireDefault(obj) { return obj && obj.__esModule ? obj : { default: obj }; }\nvar _lib = _interopRequireDefault(require('./lib'));",
        "_lib.default",
    ),
    Import(
        "re-exported",
        {"lib.js": "CODE\nmodule.exports = { X };", "sub.js": "module.exports = require('./lib');"},
        "const { X } = require('./sub');",
        "X",
    ),
    Import(
        "re-exported in an object",
        {"lib.js": "CODE\nmodule.exports = { X };", "sub.js": "module.exports = { ...require('./lib') };"},
        "const { X } = require('./sub');",
        "X",
    ),
    Import(
        "re-exported as a member",
        {"lib.js": "CODE\nmodule.exports = X;", "sub.js": "module.exports = {\n  part: require('./lib'),\n};"},
        "const sub = require('./sub');",
        "sub.part",
    ),
    Import(
        "Object.assign",
        {"lib.js": "CODE\nmodule.exports = { X };", "sub.js": "Object.assign(module.exports, require('./lib'));"},
        "const sub = require('./sub');",
        "sub.X",
    ),
    Import(
        "getter",
        {
            "lib.js": "CODE\nexports.X = X;",
            "sub.js": 'var lib_1 = require("./lib");\nObject.defineProperty(exports, "X", { enumerable: true, get: function () { return lib_1.X; } });',
        },
        "const sub = require('./sub');",
        "sub.X",
    ),
    Import(
        "object getter",
        {
            "lib.js": "CODE\nexports.X = X;",
            "sub.js": "module.exports = {\n  get X() {\n    return require('./lib').X;\n  },\n};",
        },
        "const sub = require('./sub');",
        "sub.X",
    ),
    Import(
        "__exportStar",
        {
            "lib.js": "CODE\nexports.X = X;",
            "sub.js": 'var __createBinding = (this && this.__createBinding) || function (o, m, k, k2) {\n  if (k2 === undefined) k2 = k;\n  o[k2] = m[k];\n};\nvar __exportStar = (this && this.__exportStar) || function (m, exports) {\n  for (var p in m) if (p !== "default" && !Object.prototype.hasOwnProperty.call(exports, p)) __createBinding(exports, m, p);\n};\n__exportStar(require("./lib"), exports);',
        },
        "const sub = require('./sub');",
        "sub.X",
    ),
    Import(
        "tslib exportStar",
        {
            "lib.js": "CODE\nexports.X = X;",
            "sub.js": 'const tslib_1 = require("tslib");\ntslib_1.__exportStar(require("./lib"), exports);',
        },
        "const sub = require('./sub');",
        "sub.X",
    ),
    Import(
        "babel export star",
        {
            "lib.js": "CODE\nexports.X = X;",
            "sub.js": 'var _lib = require("./lib");\nObject.keys(_lib).forEach(function (key) {\n  if (key === "default" || key === "__esModule") return;\n  Object.defineProperty(exports, key, {\n    enumerable: true,\n    get: function () {\n      return _lib[key];\n    }\n  });\n});',
        },
        "const sub = require('./sub');",
        "sub.X",
    ),
    Import(
        "UMD",
        {
            "lib.js": "(function (root, factory) {\n  if (typeof define === 'function' && define.amd) {\n    define([], factory);\n  } else if (typeof module === 'object' && module.exports) {\n    module.exports = factory();\n  } else {\n    root.Lib = factory();\n  }\n})(this, function () {\n  CODE\n  return { X: X };\n});"
        },
        "const lib = require('./lib');",
        "lib.X",
    ),
    Import(
        "UMD exports",
        {
            "lib.js": "(function (global, factory) {\n  typeof exports === 'object' && typeof module !== 'undefined' ? factory(exports) :\n  typeof define === 'function' && define.amd ? define(['exports'], factory) :\n  factory(global.Lib = {});\n}(this, function (exports) {\n  CODE\n  exports.X = X;\n}));"
        },
        "const lib = require('./lib');",
        "lib.X",
    ),
    Import("export list", {"lib.js": "CODE\nexport { X };"}, "import { X } from './lib';", "X"),
    Import(
        "export renamed", {"lib.js": "CODE\nexport { X as other };"}, "import { other as again } from './lib';", "again"
    ),
    Import("namespace", {"lib.js": "CODE\nexport { X };"}, "import * as lib from './lib';", "lib.X"),
    Import("default", {"lib.js": "CODE\nexport default X;"}, "import other from './lib';", "other"),
    Import(
        "export star",
        {"lib.js": "CODE\nexport { X };", "sub.js": "export * from './lib';"},
        "import { X } from './sub';",
        "X",
    ),
    Import(
        "export star as",
        {"lib.js": "CODE\nexport { X };", "sub.js": "export * as part from './lib';"},
        "import { part } from './sub';",
        "part.X",
    ),
    Import(
        "export from",
        {"lib.js": "CODE\nexport { X };", "sub.js": "export { X } from './lib';"},
        "import { X } from './sub';",
        "X",
    ),
    Import(
        "export default from",
        {"lib.js": "CODE\nexport default X;", "sub.js": "export { default as X } from './lib';"},
        "import { X } from './sub';",
        "X",
    ),
    Import(
        "imported and exported",
        {"lib.js": "CODE\nexport { X };", "sub.js": "import { X } from './lib';\nexport default { X };"},
        "import sub from './sub';",
        "sub.X",
    ),
    Import("index", {"lib/index.js": "CODE\nexport { X };"}, "import { X } from './lib';", "X"),
    Import("default object", {"lib.js": "CODE\nexport default { X };"}, "import lib from './lib';", "lib.X"),
    Import("ES default of CommonJS", {"lib.js": "CODE\nmodule.exports = { X };"}, "import lib from './lib';", "lib.X"),
    Import("ES name of CommonJS", {"lib.js": "CODE\nmodule.exports = { X };"}, "import { X } from './lib';", "X"),
    Import(
        "ES namespace of CommonJS",
        {"lib.js": "CODE\nmodule.exports = { X };"},
        "import * as lib from './lib';",
        "lib.X",
    ),
    Import("dynamic", {"lib.js": "CODE\nexport { X };"}, "", "X", "const { X } = await import('./lib');"),
]

# Definitions that are exports: the text of ``lib``, and the expression that is ``run`` with ``lib`` for the module.
DIRECT = [
    ("exported instance", CLASS + "\nmodule.exports = new Unit();", "lib.run", METHOD),
    (
        "exported instance of a class without a name",
        "module.exports = new (" + CLASS.replace("Unit ", "") + ")();",
        "lib.run",
        METHOD,
    ),
    ("exported object", "module.exports = {\n  run(a, b) {\n    BODY\n  },\n};", "lib.run", METHOD),
    (
        "exported object with an async method",
        "module.exports = {\n  async run(a, b) {\n    BODY\n  },\n};",
        "lib.run",
        METHOD,
    ),
    (
        "exported object with a function",
        "module.exports = {\n  run: function (a, b) {\n    BODY\n  },\n};",
        "lib.run",
        METHOD,
    ),
    ("exported object with an arrow", "module.exports = {\n  run: (a, b) => {\n    BODY\n  },\n};", "lib.run", METHOD),
    (
        "exported object whose method calls another",
        "module.exports = {\n  run(a, b) {\n    this.more(b, a);\n  },\n  more(b, a) {\n    BODY\n  },\n};",
        "lib.run",
        METHOD | has("this"),
    ),
    (
        "exported object whose method calls the module",
        "module.exports = {\n  run(a, b) {\n    module.exports.more(b, a);\n  },\n  more(b, a) {\n    BODY\n  },\n};",
        "lib.run",
        METHOD,
    ),
    ("exported member", "module.exports.run = function (a, b) {\n  BODY\n};", "lib.run", METHOD),
    ("exports member", "exports.run = (a, b) => {\n  BODY\n};", "lib.run", METHOD),
    ("exports twice", "exports.run = exports.go = function (a, b) {\n  BODY\n};", "lib.run", METHOD),
    ("exported function", "module.exports = function (a, b) {\n  BODY\n};", "lib", has()),
    ("exported function with a name", "module.exports = function run(a, b) {\n  BODY\n};", "lib", has()),
    (
        "exported function with a member",
        "module.exports = function () {};\nmodule.exports.run = function (a, b) {\n  BODY\n};",
        "lib.run",
        METHOD,
    ),
    ("exported class", "module.exports = " + CLASS, "new lib().run", METHOD),
    ("exported class without a name", "module.exports = " + CLASS.replace("Unit ", ""), "new lib().run", METHOD),
    ("exported class, static", "module.exports = class {\n  static run(a, b) {\n    BODY\n  }\n};", "lib.run", METHOD),
    ("exported factory", "module.exports = () => ({\n  run(a, b) {\n    BODY\n  },\n});", "lib().run", METHOD),
    (
        "exported factory with parameters",
        "module.exports = function (config) {\n  return {\n    run(a, b) {\n      BODY\n    },\n  };\n};",
        "lib({}).run",
        METHOD,
    ),
    (
        "exported wrapped function",
        "const traced = (f) => (...args) => f(...args);\nmodule.exports = {\n  run: traced((a, b) => {\n    BODY\n  }),\n};",
        "lib.run",
        METHOD,
    ),
    (
        "exported object in an object",
        "module.exports.unit = {\n  run(a, b) {\n    BODY\n  },\n};",
        "lib.unit.run",
        METHOD,
    ),
    ("exported instance in an object", CLASS + "\nmodule.exports = { unit: new Unit() };", "lib.unit.run", METHOD),
    (
        "exported instance of a function",
        "function Unit() {}\nUnit.prototype.run = function (a, b) {\n  BODY\n};\nmodule.exports = new Unit();",
        "lib.run",
        METHOD,
    ),
    ("exported through this", "this.run = function (a, b) {\n  BODY\n};", "lib.run", METHOD),
    ("default object", "export default {\n  run(a, b) {\n    BODY\n  },\n};", "lib.default.run", METHOD),
    ("default instance", CLASS + "\nexport default new Unit();", "lib.default.run", METHOD),
    ("default class", "export default " + CLASS, "new lib.default().run", METHOD),
    ("default function", "export default function run(a, b) {\n  BODY\n}", "lib.default", has()),
    ("default arrow", "export default (a, b) => {\n  BODY\n};", "lib.default", has()),
    ("exported constant", "export const run = (a, b) => {\n  BODY\n};", "lib.run", METHOD),
    ("exported declaration", "export async function run(a, b) {\n  BODY\n}", "lib.run", METHOD),
    ("exported instance by name", CLASS + "\nexport const unit = new Unit();", "lib.unit.run", METHOD),
]


CALLS = [
    Call("positions", "F(x, y);"),
    Call("further", "F(x, y, z);"),
    Call("spread literal", "F(...[x, y]);"),
    Call("spread variable", "const args = [x, y];\nF(...args);"),
    Call("spread rest", "const rest = [y];\nF(x, ...rest);"),
    Call("variable", "const f = F;\nf(x, y);", refuses=has("this", "new")),
    Call("conditional", "const f = z ? F : F;\nf(x, y);", refuses=has("this", "new")),
    Call("or", "const f = F || F;\nf(x, y);", refuses=has("this", "new")),
    Call("call", "F.call(null, x, y);", refuses=has("this", "new")),
    Call("apply", "F.apply(null, [x, y]);", refuses=has("this", "new")),
    Call("apply variable", "const args = [x];\nargs.push(y);\nF.apply(null, args);", refuses=has("this", "new")),
    Call("apply concat", "F.apply(null, [x].concat([y]));", refuses=has("this", "new")),
    Call("Reflect.apply", "Reflect.apply(F, null, [x, y]);", refuses=has("this", "new")),
    Call("call call", "Function.prototype.call.call(F, null, x, y);", refuses=has("this", "new")),
    Call("apply apply", "Function.prototype.apply.call(F, null, [x, y]);", refuses=has("this", "new")),
    Call("bind", "F.bind(null)(x, y);", refuses=has("this", "new")),
    Call("bind one", "F.bind(null, x)(y);", refuses=has("this", "new")),
    Call("bind all", "const f = F.bind(null, x, y);\nf();", refuses=has("this", "new")),
    Call("bind twice", "F.bind(null, x).bind(null, y)();", refuses=has("this", "new")),
    Call("lodash partial", "_.partial(F, x)(y);", "const _ = require('lodash');", refuses=has("this", "new")),
    Call("lodash partialRight", "_.partialRight(F, y)(x);", "const _ = require('lodash');", refuses=has("this", "new")),
    Call("lodash bind", "_.bind(F, null, x)(y);", "const _ = require('lodash');", refuses=has("this", "new")),
    Call("lodash curry", "_.curry(F)(x)(y);", "const _ = require('lodash');", refuses=has("this", "new")),
    Call("optional", "F?.(x, y);", refuses=has("new")),
    Call("arrow", "const f = (one, two) => F(two, one);\nf(y, x);"),
    Call(
        "callback",
        "apply(F, x, y);",
        before="function apply(f, ...args) {\n  return f(...args);\n}",
        refuses=has("this", "new"),
    ),
    Call(
        "callback by name",
        "apply(F, x, y);",
        before="function apply(f, one, two) {\n  return f(one, two);\n}",
        refuses=has("this", "new"),
    ),
    Call(
        "callback arguments",
        "apply(F, x, y);",
        before="function apply(f) {\n  return f.apply(null, [].slice.call(arguments, 1));\n}",
        refuses=has("this", "new"),
    ),
    Call("list", "for (const f of [F]) f(x, y);", refuses=has("this", "new")),
    Call("forEach", "[F].forEach((f) => f(x, y));", refuses=has("this", "new")),
    Call("pushed", "const todo = [];\ntodo.push(F);\ntodo.forEach((f) => f(x, y));", refuses=has("this", "new")),
    Call("object", "const todo = { go: F };\ntodo.go(x, y);", refuses=has("this", "new")),
    Call("member text", "RECEIVER['MEMBER'](x, y);", needs=has("method")),
    Call("member unknown", "RECEIVER[z](x, y);", needs=has("class")),
    Call("destructured", "const { MEMBER } = RECEIVER;\nMEMBER(x, y);", needs=has("method"), refuses=has("this")),
    Call("call with receiver", "const u = RECEIVER;\nu.MEMBER.call(u, x, y);", needs=has("method")),
    Call("apply with receiver", "const u = RECEIVER;\nu.MEMBER.apply(u, [x, y]);", needs=has("method")),
    Call("bind with receiver", "const u = RECEIVER;\nconst f = u.MEMBER.bind(u);\nf(x, y);", needs=has("method")),
    Call("bind one with receiver", "const u = RECEIVER;\nu.MEMBER.bind(u, x)(y);", needs=has("method")),
    Call("prototype call", "NAME.prototype.run.call(new NAME(), x, y);", needs=has("class")),
    Call("instance variable", "const u = RECEIVER;\nu.MEMBER(x, y);", needs=has("method")),
    Call(
        "passed instance",
        "go(RECEIVER, x, y);",
        before="function go(u, one, two) {\n  return u.run(one, two);\n}",
        needs=has("method"),
        refuses=has("go"),
    ),
    Call(
        "kept instance",
        "new Kept(RECEIVER).go(y, x);",
        before="class Kept {\n  constructor(u) {\n    this.u = u;\n  }\n  go(two, one) {\n    return this.u.MEMBER(one, two);\n  }\n}",
        needs=has("method"),
    ),
    Call("timer", "setTimeout(F, 0, x, y);", refuses=has("this", "new")),
    Call("nextTick", "process.nextTick(F, x, y);", refuses=has("this", "new")),
    Call("promisify", "await util.promisify(F)(x, y);", "const util = require('util');", refuses=has("this", "new")),
    Call("promise", "await Promise.resolve(x).then((one) => F(one, y));"),
    Call("new", "new F(x, y);", needs=has("never")),
    Call("Reflect.construct", "Reflect.construct(NAME, [x, y]);", needs=has("new")),
]

ONE = Import("one file", {}, "", "X")
HEAD = "const { sink, source } = require('probe');\n"


def program(number: int, definition: Definition, how: Import, call: Call) -> Cell:
    folder = f"c{number:04}"
    code = HEAD + block(definition.code, BODY=BODY)
    name = block(how.root, X=definition.exported)
    run = block(definition.run, NAME=name)
    receiver, _, member = run.rpartition(".")
    body = block(call.code, F=run, RECEIVER=receiver, MEMBER=member, NAME=name)
    local = block(how.local, X=definition.exported)
    before = block(call.before, MEMBER=member) + "\n" if call.before else ""
    main = block(
        "async function main(z) {\n  LOCAL\n  const x = source();  // from 0\n  const y = source();  // from 1\n  BODY\n}",
        LOCAL=local,
        BODY=body,
    )
    given = {path: block(text, CODE=code, X=definition.exported) + "\n" for path, text in how.files.items()}
    caller = f"{call.imports}\n{before}{main}\nmodule.main = main;\n"
    if given:
        imports = block(how.imports, X=definition.exported)
        given["app.js"] = f"{HEAD}{imports}\n{caller}"
    else:
        given["app.js"] = f"{code}\n{caller}"
    return Cell(
        f"{definition.name} | {how.name} | {call.name}", {f"{folder}/{path}": text for path, text in given.items()}
    )


def direct() -> Iterator[tuple[Definition, Import, Call]]:
    """Each definition that is an export, with a third of the calls."""
    for number, (name, code, run, features) in enumerate(DIRECT):
        definition = Definition(name, code, run.replace("lib", "NAME", 1), "lib", features)
        for at, call in enumerate([call for call in CALLS if fits(definition, call)][number % 3 :: 3]):
            if "export " not in code:
                yield definition, Import("require", {"lib.js": "CODE"}, "const lib = require('./lib');", "lib"), call
            elif "lib.default" in run and at % 2:
                plain = Definition(name, code, run.replace("lib.default", "NAME", 1), "lib", features)
                yield plain, Import("ES default", {"lib.js": "CODE"}, "import lib from './lib';", "lib"), call
            else:
                yield definition, Import("ES", {"lib.js": "CODE"}, "import * as lib from './lib';", "lib"), call


def cells() -> Iterator[Cell]:
    given = list(direct())
    numbered = [(number, *each) for number, each in enumerate(given)]
    return (program(*each) for each in (*numbered, *alternating(DEFINITIONS, CALLS, ONE, IMPORTS, len(given))))
