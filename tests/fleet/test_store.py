"""What the store promises: the same twice changes nothing, times follow scans, totals equal the rows."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra fleet")

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import create_engine, delete, insert, select
from sqlalchemy.pool import StaticPool
from tests.fleet.outcomes import DAY, MONDAY, done, finding, task
from tests.fleet.postgres import server, why_not

from pyrograph.fleet.errors import FleetError
from pyrograph.fleet.outcome import Outcome, Task
from pyrograph.fleet.store import Store, StoreError, open_store, tables, totals
from pyrograph.fleet.store.lists import Filter, every_repository, page_of_copies, page_of_findings, page_of_trouble
from pyrograph.fleet.store.marks import mark
from pyrograph.fleet.store.migrate import config, upgrade
from pyrograph.fleet.store.queries import ages, by, counts, trend, trouble
from pyrograph.fleet.store.record import record
from pyrograph.fleet.store.run_rows import begin_run, end_run, recorded


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(str(tmp_path / "fleet.db"), writable=True) as opened:
        yield opened


def problem(path: str, kind: str = "internal-error") -> dict[str, Any]:
    return {"path": path, "kind": kind, "incomplete": True}


def in_memory() -> Store:
    """A store without a file and without migrations."""
    engine = create_engine("sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False})
    tables.METADATA.create_all(engine)
    return Store(engine, "memory")


def rows(store: Store, table: Any = tables.findings) -> list[dict[str, Any]]:
    with store.reading() as connection:
        return [dict(row) for row in connection.execute(select(table)).mappings()]


def night(store: Store, now: int, *scanned: tuple[Task, Outcome]) -> int:
    """One whole run."""
    run = store.write(begin_run("fleet.toml", now))
    for each in scanned:
        store.write(record(run, *each, now))
    store.write(end_run(run, now))
    return run


def content(store: Store, *, numbered: bool = True) -> dict[str, list[str]]:
    """All rows of all tables; without their numbers where a server that was killed may have left some out."""
    return {
        name: sorted(
            repr([value for key, value in row.items() if numbered or not (key == "id" or key.endswith("_id"))])
            for row in rows(store, table)
        )
        for name, table in tables.METADATA.tables.items()
    }


def summed(store: Store) -> tuple[dict[totals.Key, int], dict[str, tuple[int, int]]]:
    """The counts that the rows have: of ``totals``, and of ``copies``."""
    found = rows(store)
    spread: dict[str, list[int]] = {}
    for row in found:
        if row["state"] == "open":
            spread.setdefault(row["likeness"], []).append(row["repository_id"])
    copies = {key: (len(set(each)), len(each)) for key, each in spread.items() if key and len(set(each)) > 1}
    return dict(Counter(key for row in found for key in totals.keys_of(row))), copies


def counted(store: Store) -> tuple[dict[totals.Key, int], dict[str, tuple[int, int]]]:
    kept = {(row["dimension"], row["day"], row["key"]): row["count"] for row in rows(store, tables.totals)}
    copies = {row["likeness"]: (row["repositories"], row["findings"]) for row in rows(store, tables.copies)}
    return {key: count for key, count in kept.items() if count}, copies


def test_the_same_outcome_twice_changes_nothing(store: Store) -> None:
    outcome = done(finding(1), finding(2, rule="go/xxe"), owners={"src/1.py": "@a"})
    run = night(store, MONDAY, (task(), outcome))
    before = content(store)
    assert store.write(record(run, task(), outcome, MONDAY + 5)) is False
    assert content(store) == before
    assert len(before["findings"]) == 2


def test_a_finding_is_seen_first_then_last_then_fixed_and_may_come_back(store: Store) -> None:
    night(store, MONDAY, (task(), done(finding(1))))
    night(store, MONDAY + DAY, (task(), done(finding(1, line=9, message="moved"))))
    (row,) = rows(store)
    assert (row["first_seen"], row["line"], row["message"], row["state"]) == (MONDAY, 9, "moved", "open")
    night(store, MONDAY + 3 * DAY, (task(), done()))
    (row,) = rows(store)
    assert (row["state"], row["last_seen"], row["fixed_at"]) == ("fixed", MONDAY + DAY, MONDAY + 3 * DAY)
    night(store, MONDAY + 4 * DAY, (task(), done(finding(1))))
    (row,) = rows(store)
    assert (row["state"], row["first_seen"], row["fixed_at"]) == ("open", MONDAY, None)


def test_what_a_scan_did_not_analyse_is_not_fixed(store: Store) -> None:
    night(store, MONDAY, (task(), done(finding(1), finding(2))))
    night(store, MONDAY + DAY, (task(), Outcome("time", "took longer")))
    assert {row["state"] for row in rows(store)} == {"open"}
    night(store, MONDAY + DAY, (task(), done(problems=[problem("src/1.py"), problem("", "limit")])))
    assert [row["state"] for row in rows(store)] == ["open", "fixed"]
    night(store, MONDAY + DAY, (task("other"), done(finding(3))))
    night(store, MONDAY + DAY, (task("other"), done(problems=[problem("")])))
    assert rows(store)[-1]["state"] == "open"


def test_revisions_of_a_repository_have_findings_of_their_own(store: Store) -> None:
    night(store, MONDAY, (task(revision="main"), done(finding(1))), (task(revision="old"), done(finding(1))))
    night(store, MONDAY + DAY, (task(revision="main"), done()), (task(revision="old"), done(finding(1))))
    assert [row["state"] for row in rows(store)] == ["fixed", "open"]


def test_a_failed_scan_is_a_row_with_its_reason_and_a_later_attempt_takes_its_place(store: Store) -> None:
    run = night(store, MONDAY, (task(), Outcome("memory", "too little")))
    with store.reading() as connection:
        assert recorded(connection, run) == {("shop", ""): "memory"}
        (row,) = every_repository(connection, trouble=True)
    assert (row["name"], row["status"], row["reason"]) == ("shop", "memory", "too little")
    assert store.write(record(run, task(), done(finding(1)), MONDAY)) is True
    assert store.write(record(run, task(), Outcome("lost", "late"), MONDAY)) is False
    assert [(row["status"], row["reason"]) for row in rows(store, tables.scans)] == [("done", "")]
    assert len(rows(store)) == 1


def test_what_was_not_scanned_is_listed_in_pages_newest_first(store: Store) -> None:
    night(store, MONDAY, (task("a"), Outcome("failed", "no")), (task("b"), Outcome("time", "late")))
    night(store, MONDAY + DAY, (task("c"), Outcome("time", "late")), (task("d"), done(finding(1))))
    listed, place = list[str](), None
    with store.reading() as connection:
        for _ in range(3):
            page, place = page_of_trouble(connection, before=place, limit=1)
            listed += [row["name"] for row in page]
        assert (listed, place) == (["c", "b", "a"], None)
        assert trouble(connection) == {"failed": 1, "time": 2, "memory": 0, "lost": 0}


def test_a_run_that_did_not_end_goes_on(store: Store) -> None:
    first = store.write(begin_run("a.toml", 1))
    assert store.write(begin_run("a.toml", 2)) == first
    assert store.write(begin_run("b.toml", 2)) != first
    store.write(end_run(first, 3))
    assert store.write(begin_run("a.toml", 4, reopen=True)) == first
    assert store.write(begin_run("a.toml", 4)) != first
    assert store.write(begin_run("a.toml", 5, afresh=True)) != first


def test_suppressed_findings_are_dismissed_and_count_no_more(store: Store) -> None:
    hidden = [{"by": "comment", "reason": "checked", "finding": finding(2)}]
    night(store, MONDAY, (task(), done(finding(1), suppressed=hidden)))
    assert [(row["state"], row["reason"]) for row in rows(store)] == [("open", ""), ("dismissed", "comment: checked")]
    with store.reading() as connection:
        assert counts(connection, MONDAY).open == 1


def test_a_mark_dismisses_a_finding_now_and_in_later_scans_until_it_is_removed(store: Store) -> None:
    night(store, MONDAY, (task(), done(finding(1), finding(0xF2))))
    with pytest.raises(FleetError, match="without a reason"):
        mark("shop", "0", "false", " ", MONDAY)
    for name, id, said in (
        ("shop", "0", "2 findings have"),
        ("shop", "%", "no finding has"),
        ("x", "0", "no repository"),
    ):
        with pytest.raises(FleetError, match=said):
            store.write(mark(name, id, "false", "reason", MONDAY))
    assert store.write(mark("shop", f"{1:032x}", "false", "a test", MONDAY)) == 1
    assert [row["state"] for row in rows(store)] == ["dismissed", "open"]
    assert counted(store) == summed(store)
    night(store, MONDAY + DAY, (task(), done(finding(1), finding(0xF2))), (task(revision="b"), done(finding(1))))
    assert [row["state"] for row in rows(store)] == ["dismissed", "open", "dismissed"]
    assert store.write(mark("shop", f"{1:032x}", "none", "", MONDAY)) == 2
    assert [(row["state"], row["reason"]) for row in rows(store)] == [("open", "")] * 3
    assert counted(store) == summed(store)


_FINDINGS = st.lists(
    st.builds(
        lambda number, likeness, owner, severity: (
            finding(number, likeness=f"{likeness:02x}" if likeness else "", severity=severity),
            owner,
        ),
        st.integers(0, 5), st.integers(0, 3), st.sampled_from(["", "@a", "@b @c"]), st.sampled_from(["high", "low"]),
    ),
    max_size=5,
    unique_by=lambda each: each[0]["fingerprint"],
)  # fmt: skip


@settings(max_examples=20)
@given(st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), st.integers(0, 40), _FINDINGS), min_size=1, max_size=8))
def test_totals_and_copies_equal_the_sums_over_all_rows(nights: list[tuple[str, int, Any]]) -> None:
    with in_memory() as store:
        for name, day, found in sorted(nights, key=lambda each: each[1]):
            owners = {each["path"]: owner for each, owner in found if owner}
            night(store, MONDAY + day * DAY, (task(name), done(*(each for each, _ in found), owners=owners)))
            assert counted(store) == summed(store)


def test_numbers_of_the_pages_are_those_of_the_rows(store: Store) -> None:
    owned = {"src/1.py": "@a"}
    night(store, MONDAY, (task(), done(finding(1), finding(2, severity="low"), owners=owned)))
    night(store, MONDAY + 10 * DAY, (task(), done(finding(1), finding(3), owners=owned)), (task("b"), done(finding(1))))
    now = MONDAY + 12 * DAY
    with store.reading() as connection:
        found = counts(connection, now)
        assert (found.open, found.new, found.fixed, found.repositories, found.lines) == (3, 2, 1, 2, 200)
        assert found.by_severity == {"critical": 0, "high": 3, "medium": 0, "low": 0}
        assert by("owner", connection, now) == [
            {"key": "", "open": 2, "new": 2}, {"key": "@a", "open": 1, "new": 0}
        ]  # fmt: skip
        assert [group["high"] for group in ages(connection, now)] == [2, 1, 0, 0, 0]
        assert [(week["open"], week["opened"], week["fixed"]) for week in trend(connection, now, 3)] == [
            (0, 0, 0), (2, 2, 0), (3, 2, 1)
        ]  # fmt: skip
        assert [(row["repositories"], row["findings"]) for row in page_of_copies(connection)] == [(2, 2)]


def test_pages_of_a_list_have_each_finding_once_newest_first(store: Store) -> None:
    for day in range(3):
        found = [finding(number, rule="go/xxe" if number % 2 else "a/b") for number in range(4 + 2 * day)]
        night(store, MONDAY + day * DAY, (task(), done(*found)))
    seen: list[dict[str, Any]] = []
    place = None
    with store.reading() as connection:
        while True:
            page, place = page_of_findings(connection, Filter(rule="go/xxe"), before=place, limit=2)
            seen += page
            if place is None:
                break
        later, _ = page_of_findings(connection, Filter(), since=MONDAY + DAY)
    assert [row["line"] for row in seen] == [7, 5, 3, 1]
    assert len(later) == 4


def test_the_migrations_make_the_schema_and_end_at_the_head(store: Store) -> None:
    with store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), tables.METADATA) == []
    assert ScriptDirectory.from_config(config()).get_current_head() == tables.HEAD


def at_version_1(file: Path) -> Path:
    """A store of the first version with an address that holds a password of more than one page, and a removed one."""
    engine = create_engine(f"sqlite:///{file}")
    with engine.begin() as connection:
        connection.exec_driver_sql("PRAGMA secure_delete = OFF")
        upgrade(connection, "0001")
        row = {"name": "shop", "source": f"https://me:{'hunter2' * 2000}@example.org/shop.git"}
        connection.execute(insert(tables.repositories).values(row))
        gone = {"name": "gone", "source": f"https://me:{'hunter2' * 2000}@example.org/gone.git"}
        connection.execute(insert(tables.repositories).values(gone))
        connection.execute(delete(tables.repositories).where(tables.repositories.c.name == "gone"))
    engine.dispose()
    return file


def test_a_migration_that_is_interrupted_is_made_again_from_the_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = at_version_1(tmp_path / "fleet.db")
    with monkeypatch.context() as patch:

        def interrupted(*arguments: Any) -> None:
            command.upgrade(*arguments)
            raise KeyboardInterrupt

        patch.setattr("pyrograph.fleet.store.migrate.command", SimpleNamespace(upgrade=interrupted))
        with pytest.raises(KeyboardInterrupt):
            open_store(str(file), writable=True)
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [("0001",)]
    connection.close()
    assert b"hunter2" in file.read_bytes()
    with open_store(str(file), writable=True) as store:
        assert [each["source"] for each in rows(store, tables.repositories)] == ["https://example.org/shop.git"]
    assert not [each for each in tmp_path.iterdir() if b"hunter2" in each.read_bytes()]


def test_names_and_reasons_of_earlier_versions_lose_their_passwords_and_keep_their_findings(tmp_path: Path) -> None:
    file = tmp_path / "fleet.db"
    engine = create_engine(f"sqlite:///{file}")
    host = "example.org/team"
    old = {  # as they were named and stored
        f"{host}/shop.git?token=hunter2": f"https://{host}/shop.git?token=hunter2",
        f"{host}/shop?token=hunter2": f"https://{host}/shop?token=hunter2",
        f"unter2@{host}/web": f"https://me:h@unter2@{host}/web.git",
        "what?": f"https://me:it's hunter2@{host}/given.git",
    }
    source = old["what?"]
    with engine.begin() as connection:
        upgrade(connection, "0001")
        for name, address in old.items():
            connection.execute(insert(tables.repositories).values(name=name, source=address))
        connection.execute(insert(tables.runs).values(id=1, fleet="fleet.toml", started=0))
        connection.execute(insert(tables.revisions).values(id=1, repository_id=4, name=""))
        numbers = dict.fromkeys(("at", "seconds", "cpu_seconds", "peak_bytes", "size", "files", "lines"), 0)
        texts = {"status": "failed", "reason": f"fatal: '{source}/'", "commit": "", "version": "", "complete": False}
        connection.execute(insert(tables.scans).values(run_id=1, revision_id=1, **numbers, **texts))
    engine.dispose()
    with open_store(str(file), writable=True) as store:
        found = {each["id"]: (each["name"], each["source"]) for each in rows(store, tables.repositories)}
        (scan,) = rows(store, tables.scans)
    assert found == {
        1: (f"{host}/shop", f"https://{host}/shop.git"),
        2: (f"{host}/shop (2)", f"https://{host}/shop"),
        3: (f"{host}/web", f"https://{host}/web.git"),
        4: ("what?", f"https://{host}/given.git"),
    }
    assert scan["reason"] == f"fatal: 'https://{host}/given.git/'"


def test_a_password_in_an_address_is_in_no_file_of_the_store_and_in_no_log(store: Store, tmp_path: Path) -> None:
    secret = replace(task(source="https://me:hunter2@example.org/shop.git?token=hunter2"), is_address=True)
    night(store, MONDAY, (secret, done(finding(1))))
    assert [each["source"] for each in rows(store, tables.repositories)] == ["https://example.org/shop.git"]
    assert not [each for each in tmp_path.iterdir() if b"hunter2" in each.read_bytes()]
    assert "hunter2" not in repr(secret)


def test_a_store_that_cannot_be_used_is_refused_in_one_line(tmp_path: Path) -> None:
    text, empty, newer, foreign = (tmp_path / name for name in ("text", "empty", "newer", "foreign"))
    text.write_text("no database, and rather long" * 100, encoding="utf-8")
    empty.touch()
    open_store(str(newer), writable=True).close()
    for file, statement in (
        (newer, "UPDATE alembic_version SET version_num = '9999'"),
        (foreign, "CREATE TABLE a (b)"),
    ):
        with sqlite3.connect(file) as connection:
            connection.execute(statement)
        connection.close()
    for address, writable, said in (
        (tmp_path / "none", False, "there is no store"),
        (tmp_path / "none" / "db", True, "create it"),
        (text, True, "name another file"),
        (empty, False, "brings it up to date"),
        (newer, True, "upgrade this one"),
        (foreign, True, "other tables"),
        ("mysql://a/b", True, "SQLite files"),
        ("x://:::", True, "cannot be read|SQLite files"),
    ):
        with pytest.raises(StoreError, match=said) as refused:
            open_store(str(address), writable=writable)
        assert "\n" not in str(refused.value)


def test_a_full_disk_loses_nothing_and_the_run_goes_on(store: Store) -> None:
    run = store.write(begin_run("a", 1))
    store.write(record(run, task(), done(finding(1)), MONDAY))
    large = done(*(finding(number, message="long " * 100) for number in range(300)))
    before = content(store)
    with store.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 40")
        connection.rollback()
    with pytest.raises(StoreError, match="free some space and run the same command again"):
        store.write(record(run, task("large"), large, MONDAY))
    store.engine.dispose()  # the limit was the connection's
    assert content(store) == before
    assert store.write(record(run, task("large"), large, MONDAY))
    assert len(rows(store)) == 301


def test_a_store_opened_to_read_cannot_be_written(store: Store) -> None:
    night(store, MONDAY, (task(), done(finding(1))))
    with open_store(store.shown, writable=False) as reader, pytest.raises(StoreError, match=r"writable|readonly"):
        reader.write(begin_run("a", 1))


def test_all_findings_become_a_parquet_table(store: Store, tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="needs the extra parquet")
    from pyrograph.fleet.store.parquet import write_parquet

    night(store, MONDAY, (task(), done(finding(1), finding(2))))
    night(store, MONDAY + DAY, (task(), done(finding(1))))
    assert write_parquet(store, tmp_path / "all.parquet") == 2
    found = pq.read_table(tmp_path / "all.parquet").to_pylist()
    assert [(row["repository"], row["state"], row["last_seen"].timestamp()) for row in found] == [
        ("shop", "open", MONDAY + DAY), ("shop", "fixed", MONDAY)
    ]  # fmt: skip


@pytest.mark.skipif(why_not() != "", reason=why_not())
def test_postgresql_keeps_the_same_and_may_be_restarted() -> None:
    pytest.importorskip("psycopg", reason="needs the extra postgresql")
    nights = [
        (MONDAY, (task(), done(finding(1), finding(2))), (task("b"), done(finding(1)))),
        (MONDAY + DAY, (task(), done(finding(2, line=5))), (task("b"), Outcome("time", "late"))),
    ]
    with server() as running, in_memory() as small, open_store(running.address, writable=True) as store:
        for now, *scanned in nights:
            night(small, now, *scanned)
            night(store, now, *scanned)
            running.stop()
            running.start()
        assert content(store, numbered=False) == content(small, numbered=False)
        assert counted(store) == summed(store)
        with store.engine.connect() as connection:
            assert compare_metadata(MigrationContext.configure(connection), tables.METADATA) == []
        with open_store(running.address, writable=False) as reader, pytest.raises(StoreError, match="read-only"):
            reader.write(begin_run("a", 1))
