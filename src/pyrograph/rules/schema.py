"""The JSON schema of rule files, for editors: made from what the loader knows, so that it cannot fall behind.

An editor with a TOML language server (taplo, Even Better TOML) completes keys and taint kinds with it, shows what they
mean, and marks what the loader would refuse. What an entry may say is the grammar's business: the schema gives each
kind of entry a text and an example.
"""

from __future__ import annotations

import json
from typing import Any, get_args

from pyrograph.model.languages import rule_languages
from pyrograph.model.vulnerability import PROFILES, SEVERITIES, Precision
from pyrograph.rules.entries import CLEAN_FOR
from pyrograph.rules.kinds import ENGINES, KINDS
from pyrograph.rules.load import BUILT_IN
from pyrograph.rules.notations import NOTATIONS
from pyrograph.rules.pack_files import PACK_KEYS, PARAMETERS, TYPE_RELATIONS
from pyrograph.rules.vulnerability_files import VULNERABILITY_KEYS

ENTRIES = {
    "source": ("taint kind -> entries: values, results, parameters that come from outside", "flask.request.args"),
    "sink": ("vulnerability -> entries: dangerous arguments, assignments, returned values", "os.system(0|command)"),
    "sanitizer": ("vulnerability, or any -> entries whose result is clean", "html.escape()"),
    "guard": ("vulnerability, or any -> tests that make a value clean", "call builtins.str#isdigit(this)"),
    "fix": ("vulnerability -> edits that `pyrograph fix` proposes", "yaml.load : call yaml.safe_load, drop 1|Loader"),
}
TYPES = {
    "returns": ("call : type of its result", "sqlite3.connect() : sqlite3.Connection"),
    "members": ("attribute : type of its value", "django.http.HttpRequest#GET : django.http.QueryDict"),
    "parameters": ("parameter : its type", "@flask.Flask#errorhandler:0 : werkzeug.exceptions.HTTPException"),
    "extends": ("subclass : base class", "flask.views.MethodView : flask.views.View"),
    "alias": ("another name : the canonical API", "flask.wrappers.Request : flask.Request"),
    "builtin": ("types whose methods also match receivers of unknown type", "builtins.str"),
    "clean": ("types that carry no taint", "builtins.int"),
    "never": ("calls that do not return", "sys.exit"),
    "rooted": ("texts that begin with a slash", "net/http.Request#RequestURI"),
    "site_paths": (
        "calls that return a path of the site which is more than a slash, or an address with such a path: where "
        "something stands at the port, or without a port where there is a keyword that does not begin with an "
        "underscore",
        "django.urls.reverse(2|args)",
    ),
    "described": (
        "calls that make a server check all requests against a description of its API that is not read; an option at "
        "the port turns that off if it is false",
        "express-openapi-validator.middleware(0[validateRequests])",
    ),
    "addressed": ("the whole address of a request, or an object that holds it", "hono.Context#req.url"),
    "csrf_protects": (
        "calls that make the program refuse all bodies without its token (CSRF protection)",
        "flask_wtf.CSRFProtect",
    ),
    "csrf_covers": ("sources that are parts of such a body: of kind 'form' then", "flask.Request#form"),
    "escapes_all": (
        "settings that turn escaping on, or off, in all templates; the option of a call may stand at the port",
        "flask.Flask#jinja_env.autoescape",
    ),
    "reads_json": (
        "calls that make the program read bodies as JSON; the types of content that they accept may stand at the port",
        "express.json(0[type])",
    ),
    "reads_forms": ("calls that make the program read bodies that a form of any page sends", "express.urlencoded()"),
    "bodies": (
        "such bodies, of kind 'json' where the program reads JSON alone",
        "express.Request#body",
    ),
    "prepares": (
        "methods that a framework calls on an object before others, where a subclass defines them",
        "tornado.web.RequestHandler#set_default_headers",
    ),
    "separators": ("texts that separate the parts of a path", "os.sep"),
    "parents": ("texts that name the folder above", "os.pardir"),
    "joining": ("calls whose result ends as their last argument does", "os.path.join()"),
    "quoted": ("types whose text is quoted, line breaks escaped", "builtins.bytes"),
    "validates": (
        "decorators of functions that check the fields they name; wrappers of checking functions in declared types",
        "pydantic.field_validator",
    ),
    "converts": (
        "decorators of methods that a library gives what is stored in the fields they name, to keep the result",
        "sqlalchemy.orm.validates",
    ),
    "enforces": (
        "classes and functions that check fields as their decorators say, where the program names one",
        "@nestjs/common.ValidationPipe",
    ),
    "typed": (
        "decorators of parameters that a framework checks, with their fields, to be of their declared type",
        "tsoa.Body()(0)",
    ),
    "operators": (
        "decorators, classes and functions that let only administrators through",
        "rest_framework.permissions.IsAdminUser",
    ),
    "accounts": (
        "decorators, classes and functions that let only people with an account through",
        "rest_framework.permissions.IsAuthenticated",
    ),
    "bearers": (
        "objects and functions that let only requests with a header through which no link adds",
        "fastapi.security.HTTPBearer()",
    ),
    "registering": ("classes, functions and modules with which visitors make accounts", "allauth.urls"),
    "exchanges": (
        "results of calls that complete a login by a code bound to the browser, or the errors that such calls return",
        "authlib.integrations.flask_client.OAuth#create_client().authorize_access_token()",
    ),
    "signed": (
        "results of calls that verify the signature of a message: they raise if it is wrong, or are false; or the "
        "errors that such calls return or pass to a callback",
        "stripe.Stripe#webhooks.constructEvent()",
    ),
    "lenient": (
        "calls that make a schema which says nothing of what it is given: it changes values before it checks them, "
        "replaces those that fail, or lets others through, too; with a port, where an argument stands there",
        "zod.preprocess",
    ),
    "admits": (
        "calls that declare what a field or a parameter may hold: texts that match the pattern at the port; without a "
        "port, none that a client chooses",
        "django.forms.RegexField(0|regex)",
    ),
    "choices": (
        "calls that declare that a field holds one of the texts which are listed at the port, if any are; a call that "
        "makes a decorator, by a function at the port that returns the list",
        "django.db.models.CharField(choices=)",
    ),
    "formal": (
        "checks, and parts of them, that prove nothing but the form of a value: that there is one, how long it is, "
        "that it is a URL; with a port: together with the parts that stand there",
        "github.com/go-ozzo/ozzo-validation.Field(1+)",
    ),
    "files": ("types of open files and of uploads, for `is file`: no texts", "io.BytesIO"),
    "declared_in": (
        "classes whose fields another class declares where they do not, and where their body names it",
        "django.forms.ModelForm(this[Meta][model])",
    ),
    "either": (
        "calls that make a schema which lets through what the schemas at the port let through",
        "zod.union(0[])",
    ),
    "elements": (
        "calls that make the schema of a list, or of a table of any names, and the schema of what it holds",
        "zod.array(0)",
    ),
    "declares": (
        "methods that declare one field of what their receiver reads, and where the name of the field stands",
        "flask_restful.reqparse.RequestParser#add_argument(0|name)",
    ),
    "modules": (
        "calls that return the module of the program which the text at the port names",
        "importlib.import_module(0|name)",
    ),
    "checks": (
        "call with the schema of a route : the member of the request that it checks for the route's handlers, or the "
        "call by which these read what it checked, where the same text is the first argument of both",
        "fastify.FastifyInstance#route(0[schema][params]) : fastify.FastifyRequest#params",
    ),
    "uploads": (
        "option of a call that registers handlers, with which the server names the files that clients send : the "
        "member of the request, and the key under which a part of it has this name. After ``unless``: the path from "
        "the table with the option to another one that holds in its place",
        "@hapi/hapi.Server#route(0[options][payload][output]) == 'file' unless 'multipart.output' : "
        "@hapi/hapi.Request#payload 'path'",
    ),
    "folders": (
        "an object whose members are made of the files of a folder, by their names : the folder",
        "egg.Application#controller : `app/controller`",
    ),
    "sealed": (
        "an argument that a call signs or encrypts for a client to keep : the call that opens what the client brings "
        "back, or the argument that it fills",
        "jsonwebtoken.sign(0) : jsonwebtoken.verify()",
    ),
    "requests": (
        "the argument of a call of a page's script that is the address of a request : where the answer arrives, read "
        "from JSON; `<answer>` and `<json>` are what other calls take out of it",
        "globalThis.fetch(0) : ret[<answer>]",
    ),
    "answers": (
        "calls that answer a request of HTTP, and the argument that they send as JSON, or members of which what is "
        "assigned is sent, `koa.Context#body=`; `<json>` is what was made to JSON before",
        "express.Response#json(0)",
    ),
    "encodes": ("calls that make JSON, and the argument that they make it of", "json.dumps(0|obj)"),
    "decodes": ("calls that read JSON, and the text", "json.loads(0|s)"),
    "unwraps": (
        "calls that give a client a function through which all its answers go, and the argument that is the function",
        "axios.AxiosInstance#interceptors.response.use(0)",
    ),
    "setters": (
        "an argument of a function in the result of a call : the member of this result where it is read later",
        "react.useState()[1](0) : react.useState()[0]",
    ),
    "supplied": (
        "a type, or the result of a call, that is what another function returns which the same file exports : the "
        "exported name, members behind it, the call, and a key of its result",
        "next.PageProps : 'getServerSideProps().props'",
    ),
    "related": (
        "the argument of a field that names an attribute of the class that the field refers to : the type of the "
        "attribute, and what follows the name of the field's class where none is given",
        "django.db.models.ForeignKey(related_name=) : django.db.models.Manager '_set'",
    ),
    "asks": ("types of arguments: a call with such an argument gets its result from elsewhere", "context.Context"),
    "errors": ("types of parameters that get the exceptions which reach the library", "express.Error"),
    "channels": ("types of objects from which one function takes what another one puts into them", "queue.Queue"),
    "records": (
        "classes of records: what is stored in a field of an instance is kept in their table",
        "sqlalchemy.orm.DeclarativeBase",
    ),
    "closed": ("types of schemas that let no field through which they do not declare", "zod.ZodObject"),
    "sessions": ("types of objects that keep what other requests of a visitor stored", "aiohttp_session.Session"),
}
TEXTS = {
    "library": "name of the library, for readers",
    "language": "python, javascript (TypeScript shares it) or go",
    "replace": "take the place of the built-in file of the same name instead of adding to it",
    "inferred": "the version of the library from whose source `pyrograph rules infer` made the pack",
}
RATINGS: dict[str, dict[str, Any]] = {
    "title": {"type": "string", "description": "name of the vulnerability"},
    "cwe": {
        "type": "array",
        "items": {"type": "integer", "minimum": 1},
        "minItems": 1,
        "description": "weaknesses, the main one first",
    },
    "severity": {"enum": list(SEVERITIES)},
    "security_severity": {"type": "number", "exclusiveMinimum": 0, "maximum": 10},
    "precision": {"enum": list(get_args(Precision))},
    "message": {"type": "string", "description": "one sentence with the placeholders {source} and {sink}"},
    "safe_text": {
        "type": "string",
        "description": "regular expression for the beginning of harmless text; \\\\0 stands for a variable part",
    },
    "safe_rest": {
        "type": "string",
        "description": "the same for the text after a beginning that the attacker does not control",
    },
    "weak_end": {
        "type": "string",
        "description": "regular expression for the end of texts that do harm in few places: low confidence",
    },
    "harmful": {
        "type": "string",
        "description": "regular expression that is found in every text that does harm",
    },
    "backslash": {"type": "boolean", "description": "a backslash before a character makes it harmless"},
    "names": {"type": "boolean", "description": "text in the quotes of a name does no harm if it cannot end them"},
    "whole": {
        "type": "boolean",
        "description": "only a value that is untrusted itself does harm, not one with untrusted parts",
    },
    "unlikely": {
        "type": "array",
        "items": {"type": "string"},
        "description": "sources with low confidence: a taint kind, 'SOURCE', 'SOURCE at SINK', 'far from SINK', 'far' "
        "or 'scripted'",
    },
    "seldom": {
        "type": "array",
        "items": {"type": "string"},
        "description": "taint kinds, groups of them, 'posted', sources, 'unnamed' before a kind or a source, or "
        "'segment' before a source: low confidence, except on very short paths",
    },
    "doubtful": {
        "type": "array",
        "items": {"type": "string"},
        "description": "medium confidence at most: taint kinds, groups of them, 'SOURCE', 'unnamed SOURCE', "
        "'SOURCE at SINK', 'cut SOURCE at SINK', 'at SINK', 'field at SINK', 'crowded', "
        "'identifier', 'several', 'repacked', 'worker', 'browser' or 'all'",
    },
    "meant": {
        "type": "string",
        "description": "a pattern of names of parts of requests that are meant for what this abuses",
    },
    "deciding": {
        "type": "string",
        "description": "a pattern of names of fields that decide who one is: 'field at SINK' is no doubt of them",
    },
    "joining": {
        "type": "array",
        "items": {"type": "string"},
        "description": "keys under which more fields stand, for 'field at SINK'",
    },
    "quoted": {"type": "boolean", "description": "quoted text with escaped line breaks does no harm"},
    "objects": {
        "type": "array",
        "items": {"type": "string"},
        "description": "only an object does harm, no text that is put together, and nothing under these keys",
    },
    "ending": {"type": "string", "description": "arguments behind which no other one of a call or list does harm"},
    "taking": {
        "type": "string",
        "description": "a pattern of arguments that take the next one; it does no harm then",
    },
    "offered": {
        "type": "array",
        "items": {"enum": list(rule_languages())},
        "description": "languages in which parameters of a library's public functions are sources for it",
    },
    "lured": {
        "type": "boolean",
        "description": "harms who follows a link: a check for administrators does not prevent it",
    },
    "entrusted": {
        "type": "boolean",
        "description": "what people with an account may do: a login prevents it where visitors cannot make one",
    },
    "connects": {
        "type": "boolean",
        "description": "the data says where a connection leads: a client that asks about its connections is a doubt",
    },
    "served": {
        "type": "array",
        "items": {"type": "string"},
        "description": "sinks where the connected server does the work: a doubt where a request chooses the server",
    },
    "executed": {
        "type": "boolean",
        "description": "an interpreter runs the data: paths through many modules and calls keep their confidence",
    },
    "together": {
        "type": "boolean",
        "description": "a check of the value mends all places of a function that it reaches: they are one finding",
    },
    "part_of": {
        "type": "array",
        "items": {"type": "string"},
        "description": "ids of others that say all that it says: not reported where one of them is, of the same data",
    },
    "profile": {"enum": list(PROFILES), "description": "the first profile that reports it: see `scan --profile`"},
    "aspect": {
        "type": "object",
        "description": "what makes a value dangerous, each followed on its own: a guard or a call may remove one",
        "properties": {},
        "additionalProperties": {
            "type": "object",
            "properties": {
                "safe_text": {"type": "string", "description": "as safe_text of the vulnerability"},
                "safe_rest": {"type": "string", "description": "as safe_rest of the vulnerability"},
                "safe_chosen": {
                    "type": "string",
                    "description": "as safe_rest, behind a part that the program chose, neither empty nor a scheme",
                },
                "safe_end": {
                    "type": "string",
                    "description": "text before a part that ends so makes it harmless, unless it is normalised later",
                },
                "safe_inside": {
                    "type": "string",
                    "description": "text before a part that matches as a whole makes it harmless: it stands in quotes",
                },
                "harmful": {"type": "string", "description": "instead of harmful of the vulnerability"},
                "refused": {
                    "type": "string",
                    "description": "a search that finds it, and finds nothing, clears the aspect; default: harmful",
                },
                "never": {
                    "type": "array",
                    "items": {"enum": list(KINDS)},
                    "description": "taint kinds whose values do not have it",
                },
                "objects": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "nothing that stands under one of these keys has it",
                },
                "texts": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "sources whose parts are texts: low confidence where one goes on unchanged",
                },
                "low": {"type": "boolean", "description": "low confidence where only this aspect is left"},
                "medium": {
                    "type": "boolean",
                    "description": "medium confidence at most where only it is left",
                },
                "within": {"type": "string", "description": "what clears this aspect clears the one described, too"},
                "prefix": {
                    "type": "string",
                    "description": "a test of a prefix clears it only if the prefix holds a match of this pattern",
                },
                "hidden": {
                    "type": "boolean",
                    "description": "a test that finds a part of the value empty does not clear it",
                },
                "allows": {"type": "string", "description": "what a check that leaves it lets through, for readers"},
            },
            "additionalProperties": False,
        },
    },
    "help": {"type": "string", "description": "Markdown: why it matters, how to fix it, references"},
    "replace": {"type": "boolean", "description": TEXTS["replace"]},
}

REQUIRED = ("title", "cwe", "severity", "security_severity", "precision", "message", "help")


def entries(description: str, example: str) -> dict[str, Any]:
    return {
        "type": "array",
        "items": {"type": "string", "examples": [example]},
        "minItems": 1,
        "description": description,
    }


def table(properties: dict[str, Any], description: str, others: dict[str, Any] | bool = False) -> dict[str, Any]:
    return {
        "type": "object",
        "description": description,
        "properties": properties,
        "additionalProperties": others,
    }


def schema() -> dict[str, Any]:
    """The schema as JSON Schema, draft 7: a pack or a vulnerability."""
    names = sorted(path.stem for path in (BUILT_IN / "vulnerabilities").glob("*.toml"))
    by_role: dict[str, Any] = {}
    for role, (description, example) in ENTRIES.items():
        if role == "source":
            known = {kind: entries(meaning, example) for kind, meaning in KINDS.items()}
            by_role[role] = table(known, description)
        else:
            ids = names if role in ("sink", "fix") else [*CLEAN_FOR, *names]
            # a user's own vulnerabilities are allowed, too
            by_role[role] = table({name: entries(name, example) for name in ids}, description, entries("", example))
    example_table = table(
        {
            "name": {"type": "string", "description": "what the example shows"},
            "code": {
                "type": "string",
                "description": "a program; comments '# expect: vulnerability' mark the findings",
            },
            "file": {"type": "string", "description": "its file name, where that matters: app/route.ts"},
        },
        "a program that `pyrograph rules test` scans",
    )
    pack = {
        "library": {"type": "string", "description": TEXTS["library"]},
        "language": {"enum": list(rule_languages()), "description": TEXTS["language"]},
        "replace": {"type": "boolean", "description": TEXTS["replace"]},
        "inferred": {"type": "string", "description": TEXTS["inferred"]},
        **by_role,
        "propagator": table(
            {"flow": entries("how calls move data", "json.dumps: 0 -> ret")}, "how calls move data: flow = [...]"
        ),
        "template": table(
            {
                key: entries(meaning, "flask.render_template(0|template_name_or_list) with *")
                for key, meaning in ENGINES.items()
            },
            "calls that fill a template: its name and its values",
        ),
        "route": table(
            {key: entries(notation.meaning, "flask.Flask#route(0|rule)") for key, notation in NOTATIONS.items()},
            "calls that state a route: its text",
        ),
        "type": table({key: entries(*TYPES[key]) for key in (*TYPE_RELATIONS, PARAMETERS)}, "types of values"),
        "proof": {
            "type": "object",
            "description": "API -> file and line of the library that prove its entries",
            "additionalProperties": {"type": "string"},
        },
        "example": {"type": "array", "items": {**example_table, "required": ["name", "code"]}},
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "pyrograph rule file",
        "description": "A pack (models of a library) or a vulnerability; see docs/rule-language.md.",
        "anyOf": [
            {**table({key: pack[key] for key in PACK_KEYS}, "models"), "required": ["library", "language"]},
            {
                **table({key: RATINGS[key] for key in VULNERABILITY_KEYS}, "a vulnerability"),
                "required": [key for key in VULNERABILITY_KEYS if key in REQUIRED],
            },
        ],
    }


def text() -> str:
    """The schema as it stands in docs/rules.schema.json."""
    return json.dumps(schema(), indent=2) + "\n"
