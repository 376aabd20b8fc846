"""Resolve API paths in installed Python libraries; run by the interpreter of an environment that has them.

Reads ``{"root": "flask", "paths": [[steps]], "facts": [[[steps], [steps]]], "keywords": [[[steps], position,
[names]]]}`` from standard input, writes ``{"version": ..., "results": [...], "keywords": [...]}``: for each path and
keyword "" when it is there, "in NAME, a subclass" when only a subclass has it, else what is missing. Needs nothing
but the standard library of Python 3.7 or later: libraries that are gone need an interpreter of their time. Values are
looked at, never called, but for imports.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import json
import os
import sys
import types
import typing
from collections.abc import Callable

Steps = typing.Tuple[str, ...]  # noqa: UP006 - this file runs on Python 3.7, too


class Missing(Exception):
    """A step leads nowhere; the text says which."""


class InSubclass(Missing):
    """A member that the class lacks and a subclass has: what is declared as the one is the other at run time."""


class Instance:
    """Some instance of a class."""

    def __init__(self, cls: type) -> None:
        self.cls = cls


class Anything:
    """A value of unknown type: further steps cannot be looked up."""


ANYTHING = Anything()


class Resolver:
    def __init__(self, facts: list[tuple[Steps, Steps]]) -> None:
        self.facts: dict[Steps, list[Steps]] = {}
        for left, right in facts:
            self.facts.setdefault(left, []).append(right)

    def resolve(self, path: Steps, depth: int = 0) -> object:
        """What the path names; raises Missing."""
        if depth > 20:
            return ANYTHING
        trouble = None
        try:
            found = self.own(path, depth)
        except Missing as missing:
            found, trouble = ANYTHING, missing
        if isinstance(found, Anything):  # what the packs say takes the place of what the library does not tell
            for right in self.facts.get(path, []):
                with contextlib.suppress(Missing):
                    other = self.resolve(right, depth + 1)
                    is_value = path[-1] == "()" or "#" in path
                    return instance_of(other) if is_value else other
        if trouble is not None:
            raise trouble
        return found

    def own(self, path: Steps, depth: int) -> object:
        if len(path) == 1:
            return imported(path[0])
        before, step = path[:-1], path[-1]
        if step == "#":
            return instance_of(self.resolve(before, depth + 1))
        if step == "()":
            try:
                callee = self.resolve(before, depth + 1)
            except Missing:
                if before[-1] == "#":
                    callee = self.resolve(before[:-1], depth + 1)
                else:
                    raise
            return result_of(callee, before)
        if step[0] == "[":
            self.resolve(before, depth + 1)
            return ANYTHING
        holder = self.resolve(before, depth + 1)
        if isinstance(holder, Anything):
            return ANYTHING
        try:
            return member(holder, step, before)
        except Missing:
            for other in self.parents(before, depth):
                with contextlib.suppress(Missing):
                    return self.resolve((*other, step), depth + 1)
            raise

    def parents(self, path: Steps, depth: int) -> list[Steps]:
        """Other names of a type, by what the packs say."""
        if path and path[-1] == "#":
            return [(*right, "#") for right in self.facts.get(path[:-1], [])]
        return self.facts.get(path, [])


def imported(name: str) -> object:
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            return importlib.import_module(name)
    except BaseException as error:
        raise Missing(f"cannot import {name}: {type(error).__name__}") from None


def instance_of(thing: object) -> object:
    if thing is typing.Any or thing is None or thing is object or getattr(thing, "__module__", "") == "collections.abc":
        return ANYTHING
    if inspect.isclass(thing):
        return Instance(thing)
    if isinstance(thing, (Anything, Instance)):
        return thing
    if isinstance(thing, (typing.TypeVar, types.ModuleType)) or callable(thing):
        return ANYTHING  # a factory that passes for a class, as threading.Lock does; a typing construct
    return Instance(type(thing))


def member(holder: object, name: str, before: Steps) -> object:
    cls = holder.cls if isinstance(holder, Instance) else holder if inspect.isclass(holder) else None
    if isinstance(holder, types.ModuleType):
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                return getattr(holder, name)
        except AttributeError:
            return imported(f"{holder.__name__}.{name}")
        except BaseException:
            return ANYTHING
    if cls is None and holder is None:
        return ANYTHING
    if cls is None:
        try:
            return getattr(holder, name)
        except AttributeError:
            cls = type(holder)
        except BaseException:
            return ANYTHING
    try:
        found = inspect.getattr_static(cls, name)
    except AttributeError:
        return declared(cls, name, before)
    if isinstance(found, property):
        return annotated(found.fget, "return") if isinstance(holder, Instance) else ANYTHING
    if isinstance(found, (staticmethod, classmethod)):
        return found.__func__
    if inspect.isfunction(found) or inspect.isclass(found) or inspect.isbuiltin(found):
        return found
    getter = getattr(found, "func", None) or getattr(found, "getter", None) or getattr(found, "fget", None)
    if callable(getter):
        return annotated(getter, "return")
    return found if callable(found) and found is not None else ANYTHING


def declared(cls: type, name: str, before: Steps) -> object:
    """An attribute that only annotations, slots or assignments in methods declare."""
    for each in cls.__mro__:
        if name in getattr(each, "__annotations__", {}) or name in getattr(each, "__slots__", ()):
            with contextlib.suppress(Exception):
                hint = typing.get_type_hints(each).get(name)
                if inspect.isclass(hint):
                    return instance_of(hint)
            return ANYTHING
        with contextlib.suppress(OSError, TypeError):
            if f"self.{name} " in inspect.getsource(each) or f"self.{name}:" in inspect.getsource(each):
                return ANYTHING
    if any("__getattr__" in vars(each) or "__getattribute__" in vars(each) for each in cls.__mro__[:-1]):
        return ANYTHING
    if name in ("__iter__", "__getitem__", "__setitem__"):
        return ANYTHING
    library = cls.__module__.partition(".")[0].lstrip("_")
    children: Callable[[type], list[type]] = type.__subclasses__
    waiting = children(cls)
    for each in waiting:
        if hasattr(each, name) and each.__module__.partition(".")[0].lstrip("_") == library:
            raise InSubclass(f"in {each.__module__}.{each.__qualname__}, a subclass")
        waiting += [other for other in children(each) if other not in waiting]
    raise Missing(f"{cls.__module__}.{cls.__qualname__} has no '{name}'")


def annotated(function: object, what: str) -> object:
    """The class that an annotation names, or ANYTHING."""
    try:
        hint = typing.get_type_hints(function).get(what)
    except Exception:
        return ANYTHING
    origin = getattr(hint, "__origin__", None)
    if origin is typing.Union or isinstance(hint, getattr(types, "UnionType", ())):
        hints = [each for each in getattr(hint, "__args__", ()) if each is not type(None)]
        hint = hints[0] if len(hints) == 1 else None
        origin = getattr(hint, "__origin__", None)
    if inspect.isclass(origin):
        hint = origin
    return instance_of(hint) if inspect.isclass(hint) else ANYTHING


def result_of(callee: object, before: Steps) -> object:
    if inspect.isclass(callee):
        return Instance(callee)
    if isinstance(callee, Anything):
        return ANYTHING
    if isinstance(callee, Instance):
        if any("__call__" in vars(each) for each in callee.cls.__mro__):
            return ANYTHING
        raise Missing(f"instances of {callee.cls.__qualname__} cannot be called")
    if callable(callee):
        found = annotated(callee, "return")
        if isinstance(found, Instance) and found.cls in (typing.Awaitable, typing.Coroutine):
            return ANYTHING
        return found
    if isinstance(callee, types.ModuleType):
        raise Missing("a module cannot be called")
    return ANYTHING


def accepts(callee: object, position: int, names: list[str]) -> str:
    """Whether the callee takes an argument of one of these names; "", or the reason why not."""
    if isinstance(callee, (Instance, Anything)) or not callable(callee):
        return ""
    try:
        parameters = list(inspect.signature(callee).parameters.values())
    except (TypeError, ValueError):
        return ""  # written in C: no signature
    if any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters):
        return ""
    missing = [name for name in names if name not in {each.name for each in parameters}]
    return f"no parameter {' or '.join(missing)}" if len(missing) == len(names) else ""


def version_of(root: str) -> str:
    if root in getattr(sys, "stdlib_module_names", ()) or root == "builtins":
        return f"Python {sys.version_info.major}.{sys.version_info.minor}"
    metadata = importlib.import_module("importlib.metadata" if sys.version_info >= (3, 8) else "importlib_metadata")
    names = [
        each.metadata["Name"]
        for each in metadata.distributions()
        if root in (each.read_text("top_level.txt") or "").split()
        or any(str(file).startswith((f"{root}/", f"{root}.py")) for file in each.files or ())
    ]
    return ", ".join(sorted(f"{name} {metadata.version(name)}" for name in set(names))[:2])


def set_up(root: str) -> None:
    """Libraries that want to be configured before they are imported."""
    if root in ("django", "rest_framework", "ninja", "channels", "django_filters", "django_q", "solo"):
        with contextlib.suppress(Exception):
            settings = importlib.import_module("django.conf").settings
            own = [root] if root in ("django_q", "solo") else []  # their models need their applications
            settings.configure(INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", *own])
            importlib.import_module("django").setup()
    if root == "horizon":
        os.environ["DJANGO_SETTINGS_MODULE"] = "openstack_dashboard.settings"  # of the same distribution
        with contextlib.suppress(Exception):
            importlib.import_module("django").setup()


def main() -> None:
    request = json.load(sys.stdin)
    real = sys.stdout
    sys.stdout = io.StringIO()  # libraries may greet
    set_up(request["root"])
    resolver = Resolver([(tuple(left), tuple(right)) for left, right in request["facts"]])
    results, keywords = [], []
    for path in request["paths"]:
        try:
            resolver.resolve(tuple(path))
            results.append("")
        except Missing as outcome:
            results.append(str(outcome))
        except BaseException as error:
            results.append(f"{type(error).__name__} while looking")
    for path, position, names in request["keywords"]:
        try:
            keywords.append(accepts(resolver.resolve(tuple(path)), position, names))
        except BaseException:
            keywords.append("")
    sys.stdout = real
    try:
        version = version_of(request["root"])
    except Exception:
        version = ""
    json.dump({"version": version, "results": results, "keywords": keywords}, sys.stdout)


if __name__ == "__main__":
    main()
