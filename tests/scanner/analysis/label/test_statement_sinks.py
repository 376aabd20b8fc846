"""A text that is a statement makes the method of an unknown object a sink."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import SOURCE, labelled, vulnerability

PROGRAM = """
import web
from .other import store
def f(db):
    x = web.get()
    %s
f(store)
"""


@pytest.mark.parametrize(
    ("call", "sinks"),
    [
        ("db.query('SELECT * FROM t WHERE a = ' + x)", 1),
        ("db.fetch_all(f'  select a\\n  from t order by {x}')", 1),
        ("db.run('delete from t where a = %s' % x)", 1),
        ("store.executeSql('insert into t values (' + x + ')')", 1),
        ("db.query('SELECT * FROM t WHERE a = ?', x)", 0),
        ("db.query(x)", 0),
        ("db.query('select a colour, ' + x)", 0),
        ("db.info('SELECT * FROM t WHERE a = ' + x)", 0),
        ("query('SELECT * FROM t WHERE a = ' + x)", 0),
        ("web.query('SELECT * FROM t WHERE a = ' + x)", 0),
        ("db[store]('SELECT * FROM t WHERE a = ' + x)", 0),
    ],
)
def test_the_text_and_the_name_of_the_method_decide(call: str, sinks: int) -> None:
    rules = SOURCE + '[sink]\ndanger = ["web.query(1)"]\n'
    found = labelled(
        PROGRAM.replace("%s", call, 1),
        rules,
        "python",
        vulnerabilities=(vulnerability("sql-injection"), vulnerability("danger")),
    )
    assert len([each for each in found.labels.sinks if each.api.endswith("()")]) == sinks
