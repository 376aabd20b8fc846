"""All rules of a scan: the user's beside the built-in ones, and the cache between runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyrograph import userfolder
from pyrograph.model.languages import rule_languages
from pyrograph.model.vulnerability import Vulnerability
from pyrograph.policy.limits.rules import MAX_RULE_CACHES, MAX_VULNERABILITIES
from pyrograph.rules import RuleError, Rules, cache, codec, files, load, load_rules
from pyrograph.rules.entries import Pack, Parameters

pytestmark = pytest.mark.usefixtures("rules_from_files")

HEAD = 'library = "x"\nlanguage = "python"\n'
VULNERABILITY = """\
title = "Mine"
cwe = [1]
severity = "low"
security_severity = 1.0
precision = "low"
message = "m"
help = "h"
"""


@pytest.fixture
def built_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small set of built-in rules in place of the real one."""
    folder = tmp_path / "built-in"
    for name, text in {
        "python/web.toml": HEAD + '[source]\nhttp = ["web.args"]\n[sink]\nxss = ["web.show(0)"]\n',
        "python/other.toml": HEAD + '[type]\nextends = ["other.App : web.App"]\n',
        "javascript/web.toml": HEAD.replace("python", "javascript") + '[source]\nhttp = ["web.args"]\n',
        "vulnerabilities/xss.toml": VULNERABILITY,
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    monkeypatch.setattr(load, "BUILT_IN", folder)
    return folder


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def user(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / "user" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def refused(paths: list[Path], kept: Path) -> RuleError:
    with pytest.raises(RuleError) as caught:
        load_rules(None, paths, cache_folder=kept)
    return caught.value


@pytest.mark.usefixtures("built_in")
class TestLoading:
    def test_only_the_languages_asked_for_are_loaded(self, kept: Path) -> None:
        assert [pack.name for pack in load_rules(cache_folder=kept).packs] == [
            "javascript/web",
            "python/other",
            "python/web",
        ]
        assert [pack.name for pack in load_rules({"javascript"}, cache_folder=kept).packs] == ["javascript/web"]
        assert load_rules((), cache_folder=kept).packs == ()

    def test_origins_name_built_in_files_without_the_place_of_installation(self, kept: Path) -> None:
        rules = load_rules({"javascript"}, cache_folder=kept)
        assert rules.packs[0].sources[0].origin.file == "javascript/web.toml"

    def test_a_users_pack_adds_to_the_built_in_one(self, tmp_path: Path, kept: Path) -> None:
        path = user(tmp_path, "web.toml", HEAD + '[sink]\nxss = ["web.print(0)"]\n')
        (pack,) = (pack for pack in load_rules(None, [path], cache_folder=kept).packs if pack.name == "python/web")
        assert [sink.target for sink in pack.sinks] == [("web", "show"), ("web", "print")]
        assert pack.sinks[1].origin.file == path.as_posix()
        assert len(pack.sources) == 1

    def test_a_users_pack_may_replace_the_built_in_one(self, tmp_path: Path, kept: Path) -> None:
        path = user(tmp_path, "web.toml", HEAD + 'replace = true\n[sink]\nxss = ["web.print(0)"]\n')
        (pack,) = (pack for pack in load_rules(None, [path], cache_folder=kept).packs if pack.name == "python/web")
        assert [sink.target for sink in pack.sinks] == [("web", "print")]
        assert pack.sources == ()

    def test_a_folder_holds_packs_and_vulnerabilities_at_any_depth(self, tmp_path: Path, kept: Path) -> None:
        user(tmp_path, "deep/mine.toml", HEAD + '[sink]\nmine-too = ["a.b(0)"]\n')
        user(tmp_path, "mine-too.toml", VULNERABILITY)
        user(tmp_path, "notes.txt", "not a rule")
        rules = load_rules(None, [tmp_path / "user"], cache_folder=kept)
        assert list(rules.vulnerabilities) == ["mine-too", "xss"]
        assert "python/mine" in {pack.name for pack in rules.packs}

    def test_a_users_pack_of_another_language_is_left_out(self, tmp_path: Path, kept: Path) -> None:
        path = user(tmp_path, "mine.toml", HEAD + '[sink]\nxss = ["a.b(0)"]\n')
        rules = load_rules({"javascript"}, [path], cache_folder=kept)
        assert [pack.name for pack in rules.packs] == ["javascript/web"]

    def test_a_built_in_vulnerability_is_replaced_only_when_asked(self, tmp_path: Path, kept: Path) -> None:
        path = user(tmp_path, "xss.toml", VULNERABILITY.replace("Mine", "Other"))
        assert "there is a built-in vulnerability 'xss'" in str(refused([path], kept))
        path.write_text("replace = true\n" + VULNERABILITY.replace("Mine", "Other"))
        assert load_rules(None, [path], cache_folder=kept).vulnerabilities["xss"].title == "Other"

    def test_two_users_vulnerabilities_of_one_id_are_refused(self, tmp_path: Path, kept: Path) -> None:
        paths = [user(tmp_path, f"{folder}/mine.toml", VULNERABILITY) for folder in ("a", "b")]
        error = refused(paths, kept)
        assert (error.file, error.trouble) == (
            paths[1].as_posix(),
            f"'mine' is already defined in {paths[0].as_posix()}",
        )

    def test_more_than_62_vulnerabilities_are_refused(self, tmp_path: Path, kept: Path) -> None:
        for number in range(61):
            user(tmp_path, f"v-{number:02}.toml", VULNERABILITY)
        assert len(load_rules(None, [tmp_path / "user"], cache_folder=kept).vulnerabilities) == 62
        path = user(tmp_path, "v-61.toml", VULNERABILITY)
        error = refused([tmp_path / "user"], kept)
        assert error.file == path.as_posix()
        assert "more than 62 vulnerabilities" in error.trouble

    def test_an_unknown_vulnerability_stops_the_scan(self, tmp_path: Path, kept: Path) -> None:
        path = user(tmp_path, "mine.toml", HEAD + '[sink]\nxs = ["a.b(0)"]\n')
        where = f"{path.as_posix()}:4: sink.xs: "
        assert str(refused([path], kept)) == where + "unknown vulnerability 'xs'; did you mean 'xss'?"

    def test_the_first_error_stops_the_scan_and_tells_how_many_there_are(self, tmp_path: Path, kept: Path) -> None:
        path = user(tmp_path, "mine.toml", HEAD + '[sink]\nxss = ["a.b", "a.c", "a.d"]\n')
        error = refused([path], kept)
        assert error.line == 4
        assert error.__notes__ == ["and 2 more; 'python -m pyrograph.rules.check FILE...' lists all"]

    def test_paths_that_are_no_rules_are_refused(self, tmp_path: Path, kept: Path) -> None:
        assert "there is no such file or folder" in str(refused([tmp_path / "none.toml"], kept))
        (tmp_path / "empty").mkdir()
        assert "the folder holds no rule file" in str(refused([tmp_path / "empty"], kept))

    def test_a_built_in_pack_lies_in_the_folder_of_its_language(self, built_in: Path, kept: Path) -> None:
        (built_in / "go").mkdir()
        (built_in / "go" / "web.toml").write_text(HEAD + '[source]\nhttp = ["a.b"]\n')
        error = refused([], kept)
        assert (error.file, error.trouble) == ("go/web.toml", "a pack for python among those for go")

    def test_packs_are_chosen_by_the_roots_of_a_program_and_of_their_types(self, kept: Path) -> None:
        rules = load_rules({"python"}, cache_folder=kept)
        assert [pack.name for pack in rules.for_roots({"web"})] == ["python/web"]
        assert [pack.name for pack in rules.for_roots({"other"})] == ["python/other", "python/web"]
        assert rules.for_roots({"sys"}) == ()


@pytest.mark.usefixtures("built_in")
def test_what_this_process_read_is_not_read_again(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = load_rules({"python"}, cache_folder=kept)
    monkeypatch.setattr(files, "parse", None)  # a call would fail
    monkeypatch.setattr(cache, "read", None)
    again = load_rules({"python"}, cache_folder=kept)
    assert again == first
    assert all(one is other for one, other in zip(first.packs, again.packs, strict=True))


class TestCache:
    @pytest.fixture(autouse=True)
    def a_process_that_remembers_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        class Forgetful(dict[str, object]):
            def __setitem__(self, key: str, value: object) -> None:
                pass

        monkeypatch.setattr(load, "_REMEMBERED", Forgetful())

    def cached(self, kept: Path) -> list[Path]:
        return sorted((kept / "rules").iterdir())

    def test_rules_from_the_cache_are_those_from_the_files(self, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        first = load_rules(cache_folder=kept)
        before = {path: path.read_bytes() for path in self.cached(kept)}
        monkeypatch.setattr(files, "parse", None)  # a call would fail
        assert load_rules(cache_folder=kept) == first
        assert {path: path.read_bytes() for path in self.cached(kept)} == before

    @pytest.mark.usefixtures("built_in")
    def test_rules_that_were_read_ahead_are_those_from_the_files(
        self, kept: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first = load_rules(cache_folder=kept)
        monkeypatch.setattr(cache, "READ_AHEAD", kept / "rules")
        with userfolder.choosing(None, off=True):
            for path in self.cached(kept):
                assert load_rules() == first
                path.write_bytes(b"damaged")
            assert load_rules() == first

    def test_a_changed_file_is_read_again(self, built_in: Path, kept: Path) -> None:
        load_rules({"python"}, cache_folder=kept)
        (built_in / "python" / "web.toml").write_text(HEAD + '[source]\nhttp = ["web.changed"]\n')
        packs = load_rules({"python"}, cache_folder=kept).packs
        assert packs[1].sources[0].target == ("web", "changed")

    @pytest.mark.usefixtures("built_in")
    def test_a_renamed_users_file_is_read_again(self, tmp_path: Path, kept: Path) -> None:
        text = HEAD + '[source]\nhttp = ["a.b"]\n'
        for name in ("one", "two"):
            path = user(tmp_path, f"{name}.toml", text)
            packs = load_rules({"python"}, [path], cache_folder=kept).packs
            assert f"python/{name}" in {pack.name for pack in packs}

    @pytest.mark.usefixtures("built_in")
    @pytest.mark.parametrize("damage", [b"", b"\n", b"x", b"[]\n[]", bytes(range(256))])
    def test_a_damaged_cache_is_ignored_and_written_anew(self, kept: Path, damage: bytes) -> None:
        first = load_rules(cache_folder=kept)
        before = {path: path.read_bytes() for path in self.cached(kept)}
        for path in before:
            path.write_bytes(damage)
        assert load_rules(cache_folder=kept) == first
        assert {path: path.read_bytes() for path in self.cached(kept)} == before

    @pytest.mark.usefixtures("built_in")
    def test_a_whole_cache_of_another_shape_is_ignored(self, kept: Path) -> None:
        first = load_rules(cache_folder=kept)
        for path in self.cached(kept):
            label, _, key = path.stem.rpartition("-")
            cache.write(kept, label, key, [["python/web.toml", True, ["name"], False]])
        assert load_rules(cache_folder=kept) == first

    @pytest.mark.usefixtures("built_in")
    def test_a_cache_that_cannot_be_written_is_no_harm(self, tmp_path: Path) -> None:
        blocked = tmp_path / "file"
        blocked.write_text("not a folder")
        assert load_rules(cache_folder=blocked) == load_rules(cache_folder=tmp_path / "cache")
        assert blocked.read_text() == "not a folder"

    @pytest.mark.usefixtures("built_in")
    def test_wrong_rules_are_not_kept(self, tmp_path: Path, kept: Path) -> None:
        path = user(tmp_path, "mine.toml", HEAD + '[sink]\nxss = ["a.b"]\n')
        assert str(refused([path], kept)) == str(refused([path], kept))
        assert not [each for each in self.cached(kept) if each.name.startswith("user")]

    def test_old_cache_files_are_forgotten(self, kept: Path) -> None:
        for number in range(MAX_RULE_CACHES + 3):
            cache.write(kept, "python", f"{number:032}", [number])
            cache.write(kept, "go", "0", [])
        assert len(self.cached(kept)) == MAX_RULE_CACHES + 1
        assert cache.read(kept, "go", "0") == []
        assert cache.read(kept, "python", f"{MAX_RULE_CACHES + 2:032}") == [MAX_RULE_CACHES + 2]

    def test_no_folder_is_no_cache(self) -> None:
        cache.write(None, "python", "0", [])
        assert cache.read(None, "python", "0") is None


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.text(max_size=3), st.binary(max_size=3)), max_size=3),
    st.lists(st.tuples(st.text(max_size=3), st.binary(max_size=3)), max_size=3),
)
def test_a_digest_tells_sets_of_files_apart(one: list[tuple[str, bytes]], other: list[tuple[str, bytes]]) -> None:
    assert (cache.digest(one) == cache.digest(other)) == (one == other)


# The built-in rules


@pytest.fixture(scope="module")
def cached(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with all of them."""
    folder = tmp_path_factory.mktemp("cache")
    load_rules(cache_folder=folder)
    return folder


@pytest.fixture(scope="module")
def rules(cached: Path) -> Rules:
    return load_rules(cache_folder=cached)


def test_every_built_in_rule_survives_the_cache(rules: Rules) -> None:
    packs, vulnerabilities = list(rules.packs), list(rules.vulnerabilities.values())
    assert repr(codec.decode(Pack, through_json(codec.encode(Pack, packs, shared=load.SHARED)))) == repr(packs)
    assert codec.decode(Vulnerability, through_json(codec.encode(Vulnerability, vulnerabilities))) == vulnerabilities


def test_no_two_entries_of_a_pack_are_one_object(rules: Rules, cached: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Labelling and resolution tell entries and flows apart by identity."""
    monkeypatch.setattr(load, "_REMEMBERED", {})
    from_cache = load_rules(cache_folder=cached)
    for pack in (*rules.packs, *from_cache.packs):
        roles = (pack.sources, pack.sinks, pack.sanitizers, pack.guards, pack.propagators, pack.types, pack.renderings)
        entries: list[object] = [entry for role in roles for entry in role]
        entries += [test for guard in pack.guards for test in guard.also]
        entries += [flow for each in pack.propagators for flow in each.flows]
        assert len({id(entry) for entry in entries}) == len(entries)


def through_json(data: object) -> object:
    import json

    return json.loads(json.dumps(data))


@pytest.mark.parametrize("path", sorted((load.BUILT_IN / "vulnerabilities").glob("*.toml")), ids=lambda path: path.stem)
def test_a_built_in_vulnerability_has_a_weakness_and_a_sentence(path: Path) -> None:
    parsed = files.parse(path.read_bytes(), path.name, path.stem)
    assert parsed.errors == ()
    found: Vulnerability | None = parsed.vulnerability
    assert found is not None
    assert f"- CWE-{found.cwe[0]}" in found.help
    assert "{source}" in found.message
    assert "{sink}" in found.message
    assert found.message.endswith(".")


def test_the_severity_of_a_built_in_vulnerability_follows_its_rating(rules: Rules) -> None:
    for each in rules.vulnerabilities.values():
        low, high = {"low": (0, 5), "medium": (5, 8), "high": (6, 9), "critical": (9, 10)}[each.severity]
        assert low <= each.security_severity <= high, each.id


def test_there_is_room_for_the_users_vulnerabilities(rules: Rules) -> None:
    assert len(rules.vulnerabilities) <= MAX_VULNERABILITIES - 20


def test_reading_rules_from_the_cache_imports_nothing_heavy(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib\n"
        "from pyrograph.rules import cache, load_rules\n"
        "cache.READ_AHEAD = pathlib.Path('none')\n"
        "load_rules(('go',), cache_folder=pathlib.Path(sys.argv[1]))\n"
        "heavy = {'numpy', 'numba', 'rich', 'tree_sitter', 'tomllib', 'pyrograph.rules.grammar'}\n"
        "print(*sorted(heavy & set(sys.modules)))"
    )
    for expected in ("pyrograph.rules.grammar tomllib", ""):
        done = subprocess.run(
            [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == expected


def test_languages_have_a_folder_each() -> None:
    assert {path.name for path in load.BUILT_IN.iterdir() if path.is_dir() and path.name[0] != "_"} <= {
        *rule_languages(),
        "ahead",  # in a wheel
        "declared",
        "vulnerabilities",
        "verified",
    }


def test_a_pack_without_roots_matters_to_nobody() -> None:
    empty = Pack("python/empty", "python", "empty")
    assert Rules((empty,), {}).for_roots({"os"}) == ()


MANY = (
    HEAD
    + """
[sink]
ssrf = ["first.get(0)", "second.get(0)", "third.Client#get(0)"]

[type]
returns = ["second.open() : third.Client", "unknown#third_client() : third.Client"]
enforces = ["second.check"]
"""
)


@pytest.mark.parametrize(
    ("roots", "expected"),
    [
        ({"first"}, ["first.get", "second.check"]),
        (
            {"second"},
            ["second.check", "second.get", "second.open.()", "third.Client.#.get", "unknown.#.third_client.()"],
        ),
        ({"third"}, ["second.check", "third.Client.#.get", "unknown.#.third_client.()"]),
        ({"fourth"}, []),
    ],
)
def test_entries_are_chosen_and_not_files(roots: set[str], expected: list[str]) -> None:
    """Types lead to other libraries, and decide what is said of unknown objects. What enforces the checks of a pack
    belongs to all of its entries.
    """
    packs = load_rules(["python"], texts=[("many.toml", "many", MANY.encode())]).for_roots(roots)
    many = [pack for pack in packs if pack.name == "python/many"]
    sinks = [sink.target for pack in many for sink in pack.sinks if not isinstance(sink.target, Parameters)]
    types = [fact.left for pack in many for fact in pack.types]
    assert sorted(".".join(api) for api in (*sinks, *types)) == expected
