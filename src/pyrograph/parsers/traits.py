"""Facts of a language that the analysis asks once a value or an edge, as plain data.

Each default is what a language without the feature answers. ``Language.traits`` names those of a language.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

# Ranges of code points that predicates over characters share.
DIGITS = (0x30, 0x39)
LETTERS = ((0x41, 0x5A), (0x61, 0x7A))
UNDERSCORE = (0x5F, 0x5F)
BEYOND = (  # letters and digits of other scripts, which have no meaning to an interpreter; exact up to U+00FF
    (0xAA, 0xAA),
    (0xB2, 0xB3),
    (0xB5, 0xB5),
    (0xB9, 0xBA),
    (0xBC, 0xBE),
    (0xC0, 0xD6),
    (0xD8, 0xF6),
    (0xF8, 0x10FFFF),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleTraits:
    """What modules are, and how names of one are seen in another."""

    directory_is_module: bool = False
    """The files of a directory are one module: they share their top-level names, and what is imported is a directory.
    Off: each file is a module."""

    module_object: str = ""
    """The exported name whose value stands for the module itself, as `module.exports` of CommonJS; "" has none."""

    default_export: str = ""
    """The exported name that an import without a name binds; "" has none."""

    submodules_are_members: bool = False
    """A module below a package is a member of the package's object: `package.module`."""

    libraries_are_vendored: bool = False
    """Programs keep copies of libraries among their own files, as source code that can be read."""

    star_imports_bind_names: bool = False
    """A star import binds all names of the module, so that a name nobody declares is looked for there."""

    main_files: frozenset[str] = frozenset()
    """Names, without suffix, of the file of a folder that is the folder's module."""

    packages_have_main_files: bool = False
    """A folder is a package by its main file: what walks packages leaves out folders without one. Modules are loaded by
    dotted names, which may be texts: `import_module("package.module")`."""

    global_objects: frozenset[str] = frozenset()
    """Names of the object that holds all built-in names, as `globalThis`."""

    tools_add_imports: bool = False
    """A name that a module does not declare may be one of another file: build tools add imports on their own."""

    exported_by_case: bool = False
    """A name is visible to other modules exactly where it begins with a capital letter."""

    decoding_methods: frozenset[str] = frozenset()
    """Names of methods with which a type is decoded by code of its own, into fields that no other module sees, too."""

    calls_follow_imports: bool = False
    """A call that only a method's name resolves means methods of files that import its file, or that it imports."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextTraits:
    """What is known of texts, their characters, and what the standard library has for them."""

    keeping_beginning: frozenset[str] = frozenset()
    """Methods of text whose result begins as the text does, mostly: what they cut or replace lies further on."""

    parts_of_text: frozenset[str] = frozenset()
    """Functions and methods of the standard library whose result is a part of a text, or of a list: what is known of it
    is not known of the whole.
    """

    conversions: frozenset[str] = frozenset()
    """Methods of built-in types whose result is the same text as another type: what a test says of one is true of both.
    """

    ends_of_path: frozenset[str] = frozenset()
    """Functions, methods and attributes of the standard library whose result is the name at the end of a path, or what
    the name ends in: what is asked about it says nothing of the folders before it.
    """

    last_parts: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Functions and methods of the standard library that divide a path or its name, and the keys under which their
    result has what stands last: ``splitext(x)[1]``.
    """

    formats: Mapping[str, str] = field(default_factory=dict)
    """Methods of a text that fill in its holes, and the character that opens a hole, which stands for itself where it
    is doubled. Under "": the operator that does so, where no other makes a value of a text and a second value.
    """

    holes: Mapping[str, str] = field(default_factory=dict)
    """The same methods, and a pattern of what stands for something else in their text: in the group ``of`` the number
    or the name of the argument that fills a hole, nothing for the next one; without this group, a doubled character.
    """

    left_operators: tuple[str, ...] = ()
    """Methods of the left operand that operators call which put two values together."""

    right_operators: tuple[str, ...] = ()
    """The same of the right operand."""

    length_function: str = ""
    """The built-in function that counts the characters of a text or the elements of a list."""

    lengths: frozenset[str] = frozenset()
    """Functions and members that say how long a text or how large a collection is."""

    characters_are_numbers: bool = False
    """An element of a text is a number, not a text of one character."""

    types: frozenset[str] = frozenset()
    """Names by which code asks whether a value is a text, whatever kind of text: no object is one."""

    other_types: str = ""
    """A pattern of the names of built-in types which no text is, as code asks for them; "" for none."""

    show_contents: bool = False
    """Text that is made of a list or a table shows all that it holds. Off: at most the elements of a list."""
    texts_are_indexed: bool = False
    """A loop goes through a text's characters by index. Off: by iteration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionTraits:
    """Functions and methods of the standard library that answer a question about a text or a collection, by their
    names alone: the packs need not describe them.
    """

    tests: Mapping[str, str] = field(default_factory=dict)
    """The test of the rule language that each of them is: `prefix`, `suffix`, `contains` or `match`. `lookup`: its
    result is what a table holds under a key, or nothing. `equal`: its two arguments are equal.
    """

    containing: frozenset[str] = frozenset()
    """The methods by which a class says what its instances contain."""

    whole_parts: frozenset[str] = frozenset()
    """Those of `prefix` that compare whole parts of paths: "/srv/data-old" is not below "/srv/data"."""

    anchored: Mapping[str, str] = field(default_factory=dict)
    """Those of `match` whose pattern has to match at the beginning (`match`) or all of the text (`fullmatch`)."""

    given_patterns: frozenset[str] = frozenset()
    """Those of `match` that are methods of the text, with the pattern as their argument."""

    positions: frozenset[str] = frozenset()
    """Their result is the position at which an element or a text is found, or -1."""

    first_positions: frozenset[str] = frozenset()
    """Those of `positions` of which 0 says that the text begins so."""

    pattern_positions: frozenset[str] = frozenset()
    """Their result is the position of the first match of a pattern, or -1."""

    counts: frozenset[str] = frozenset()
    """Their result is how often an element or a text is found."""

    quantifiers: Mapping[str, int] = field(default_factory=dict)
    """They ask a function about the elements of a collection until one answers: the position of the function. At 0 the
    collection is the receiver, else the argument at 0.
    """

    universal: frozenset[str] = frozenset()
    """Those of `quantifiers` that ask until the function returns false."""

    characters: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    """They ask about one character: the ranges of code points for which they are true."""

    of_characters: frozenset[str] = frozenset()
    """They look for one character in a text."""

    of_type: frozenset[str] = frozenset()
    """Built-in functions that say whether a value is of a type, or of one of several: `isinstance(x, (list, A))`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstructionTraits:
    """How instances and classes are made, and the methods that a language runs by itself."""

    allocators: tuple[str, ...] = ()
    """Methods that make an instance: they run before the constructor, with the class in place of the receiver."""

    constructors: tuple[str, ...] = ()
    """Methods that fill a new instance, their receiver; the first that a class or a base of it has runs."""

    finishers: tuple[str, ...] = ()
    """Methods that run on a new instance whose fields a constructor that nobody wrote has filled."""

    root_exceptions: frozenset[str] = frozenset()
    """Classes of exceptions that all others extend."""

    text_methods: frozenset[str] = frozenset()
    """Methods that make the text which a conversion of an instance gives."""

    call_methods: tuple[str, ...] = ()
    """Methods that run where an instance is called."""

    item_methods: tuple[str, ...] = ()
    """Methods that run where an instance is read under a key that is none of its members: `instance[key]`."""

    numbered_records: tuple[str, ...] = ()
    """The type whose subclasses hold their fields under numbers as well, in the order of their declaration."""

    subclass_hooks: tuple[str, ...] = ()
    """Methods that run for each class that extends their class, which is their receiver."""

    subclass_lists: tuple[str, ...] = ()
    """Methods of classes that return the list of the classes that extend them directly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DispatchTraits:
    """Which function a call runs, and what it gets as its receiver."""

    receiver_is_first_parameter: bool = False
    """A method that is called as a function takes its receiver as first argument: `Class.method(instance, ...)`."""

    methods_are_bound: bool = False
    """A method that is read as a value keeps the object that it was read from: `run(job.start)`."""

    receiver_is_instance: bool = False
    """The receiver of a method is an instance of its class or of one that extends it, and nothing else."""

    literals_have_methods: bool = False
    """A type with methods may be a name for lists, mappings or functions: a literal of one is an instance of it."""

    functions_bind_late: bool = False
    """A function that lies in a class, but is not declared as its method, gets its receiver as first argument when it
    is read from an instance."""

    methods_keep_names: bool = False
    """A method is only called by its own name: what is called under another name is a field that holds a function."""

    bases_are_parts: bool = False
    """A base is a part of the object, under its type's name: inherited members are read from there."""

    accessors: frozenset[str] = frozenset()
    """Names of methods without arguments by which generated code hands on the next part of what a client sends."""

    accessor_prefix: str = ""
    """Methods without arguments whose names begin so read a field, one for each field of generated code; or ""."""

    interfaces_before_names: bool = False
    """Interfaces say which methods a call may mean, so that calls go by name alone only after interfaces were tried."""

    exact_arity: bool = False
    """A call gives as many arguments as the function has parameters. Off: it may give fewer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """Semantic facts that are asked once a value or an edge. Each one off or empty is the language without it."""

    modules: ModuleTraits = field(default_factory=ModuleTraits)
    texts: TextTraits = field(default_factory=TextTraits)
    questions: QuestionTraits = field(default_factory=QuestionTraits)
    construction: ConstructionTraits = field(default_factory=ConstructionTraits)
    dispatch: DispatchTraits = field(default_factory=DispatchTraits)

    # Programs

    entry_functions: frozenset[str] = frozenset()
    """Names of the functions that a program runs by itself, in a language in which others run only where code names
    them."""

    program_packages: frozenset[str] = frozenset()
    """Names of the packages that are programs: no other code imports them."""

    sure_calls: int | None = None
    """Calls that a path of high confidence enters, in brief, where more have shown to be false (bench/confidence.md):
    receivers without a type make each further call less sure. None: any number."""

    # Objects and values

    open_objects: bool = True
    """A program may store members in a library's objects that their types do not declare, and read them elsewhere."""

    library_types_are_foreign: bool = False
    """The result of a library's function has no type of the program, because types are declared and a library cannot
    import the program."""

    filled_objects_are_own: bool = False
    """An object that the program itself made and filled is never one that a framework received."""

    multiple_results: bool = False
    """A function may return several results. Of a library's call, result 0 is what the call returns; further ones are
    its members "1", "2", ..."""

    failures_stay_in_results: bool = False
    """The result of a call of an asynchronous function keeps what that function raises, until it is awaited."""

    promise_methods: frozenset[str] = frozenset()
    """Methods that are given what to do with a result that comes later, as `then`."""

    missing_keys_raise: bool = False
    """A read under a key that an object does not have raises. Off: it gives nothing."""

    absent_members_raise: bool = False
    """A read of a member of nothing (None, null) raises, and what a call looks up without success is nothing."""

    optional_member: str = ""
    """What stands before a member that is read only where there is an object, as `?.`; "" for no such operator."""

    left_out_is_nothing: bool = False
    """A parameter without a default for which a call gives no argument is nothing (undefined)."""

    prototypes: bool = False
    """Objects inherit from other objects, so that writing under a key of the attacker's choice may change them all."""

    declared_types_hold: bool = False
    """A parameter that is declared to be a number is one whenever the function runs."""

    sent_names: str = ""
    """Pattern, in a file, of a field and of the name that it has in JSON: groups ``name`` and ``sent``."""

    # Text and numbers

    empty_is_false: bool = False
    """A collection without elements counts as false."""

    table_methods: frozenset[str] = frozenset()
    """Methods of tables that lists lack, where a loop over a table gets its keys, as one over a list its elements."""

    keyed_reads: frozenset[str] = frozenset()
    """Methods of tables that read under a key as a subscript does: `table.get("a", "")` and `table["a"]`."""

    part_reads: frozenset[str] = frozenset()
    """Methods of tables that read what lies under the key that they are given, and nothing else: `query.get("a")`."""

    number_members: frozenset[str] = frozenset()
    """Members that are numbers, whatever has them, as `length`."""

    class_name: tuple[str, ...] = ()
    """The members that lead from a method's own object to the name of its class, as `constructor` and `name`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchNames:
    """Members of the standard library that match regular expressions; empty where a language has none."""

    matches: tuple[str, ...] = ()
    """Functions and methods of patterns whose result holds, by number or name, what the groups captured."""

    matched: tuple[str, ...] = ()
    """Those whose result is the text that matched."""

    listed: tuple[str, ...] = ()
    """Those whose result is a list of all texts that matched, or of what the only group captured."""

    of_texts: tuple[str, ...] = ()
    """Those of ``matches`` that are methods of texts, with the pattern as their argument."""

    group: str = ""
    """The method of a result that returns a group by its number or name; without an argument, the whole match."""

    groups: str = ""
    """The member that holds all groups: a call of it from the first on, a read of it by name."""
