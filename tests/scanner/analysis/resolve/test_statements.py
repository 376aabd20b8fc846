"""Which columns a statement fills and returns, by its text."""

from __future__ import annotations

import pytest

from pyrograph.scanner.analysis.resolve.statements import ANY, columns_of, statement


@pytest.mark.parametrize(
    ("text", "table", "kept"),
    [
        ("INSERT INTO t (a, b) VALUES (?, ?)", "t", [("a", 0), ("b", 1)]),
        ("insert or ignore into T values ('x', ?, 'y')", "t", [(1, 0)]),
        ("INSERT INTO s.t (x, y) VALUES ($2, lower($1))", "t", [("x", 1), ("y", 0)]),
        ("INSERT INTO t (a) VALUES (%(b)s) ON CONFLICT (a) DO UPDATE SET c = %(d)s", "t", [("a", "b"), ("c", "d")]),
        ("UPDATE t SET a = ?, b = coalesce(?, b) WHERE id = ?", "t", [("a", 0), ("b", 1)]),
        ('UPDATE "t" SET `a` = :a -- c = ?\n WHERE b = :b', "t", [("a", "a")]),
        ("INSERT INTO t SET ?", "t", [(ANY, 0)]),
        ("UPDATE t SET \0 = ? WHERE id = ?", "t", [(ANY, 0)]),
        ("UPDATE t SET \0 WHERE id = ?", "t", [(ANY, ANY)]),
        ("INSERT INTO t (\0) VALUES (\0)", "t", [(ANY, ANY)]),
        ("INSERT INTO t (a) VALUES ('?')", "t", []),
        ("DELETE FROM t WHERE a = ?", "", []),
    ],
)
def test_what_placeholders_fill(text: str, table: str, kept: list[tuple[str | int, int | str]]) -> None:
    said = statement(text)
    assert said is not None
    assert (said.table, list(said.kept)) == (table, kept)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("SELECT a, b AS c, d e FROM t WHERE f = ?", ["t.a:a@0", "t.b:c@1", "t.d:e@2"]),
        ("SELECT u.name, p.* FROM posts AS p LEFT JOIN users u ON u.id = p.user", ["users.name:name@0", "posts.:@1"]),
        ("SELECT count(*), max(a) m, 'x', 3 FROM t", ["t.a:m@1"]),
        ("SELECT *, a FROM t", ["t.:@0", "t.a:a@-1"]),
        ("SELECT a FROM t, u", ["t|u.a:a@0"]),
        ("SELECT p.a, u.b FROM posts AS p JOIN users AS u ON u.c = p.d", ["posts.a:a@0", "users.b:b@1"]),
        ("WITH n AS (SELECT b FROM u) SELECT a FROM t", ["t.a:a@0"]),
        ("SELECT a FROM (SELECT b FROM u)", []),
        ("INSERT INTO t (a) VALUES (?) RETURNING id, a", ["t.id:id@0", "t.a:a@1"]),
        ("UPDATE t SET a = ? WHERE b = 1", []),
    ],
)
def test_what_a_query_returns(text: str, read: list[str]) -> None:
    said = statement(text)
    assert said is not None
    shown = [f"{'|'.join(each.tables)}.{each.column}:{each.name}@{each.position}" for each in said.read if each.tables]
    assert shown == read


@pytest.mark.parametrize("text", ["", "\0", "PRAGMA user_version", "hello", "(", "WITH"])
def test_other_texts_say_nothing(text: str) -> None:
    assert statement(text) is None


def test_columns_have_the_order_of_their_table() -> None:
    text = "CREATE TABLE IF NOT EXISTS a.t (id INTEGER PRIMARY KEY, b TEXT DEFAULT (x, y), UNIQUE (b, c))"
    assert columns_of(f"{text}; create table u (d text)") == {"t": ("id", "b"), "u": ("d",)}
