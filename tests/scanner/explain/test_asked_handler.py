"""An answer is asked for again only for handlers on which it depends."""

from __future__ import annotations

from pyrograph.scanner.explain.asked_handler import AskedHandler, Handler

ANY: Handler = "/any", "any"
LOGIN: Handler = "/login", "login"


def test_an_answer_is_kept_for_all_handlers_or_for_the_one_that_it_looked_at() -> None:
    asked = AskedHandler()
    answers: dict[tuple[str, Handler | None], bool] = {}
    calls: list[str] = []

    def exempts() -> bool:
        calls.append("exempts")
        return asked.look()[1] == "login"

    def refuses() -> bool:
        calls.append("refuses")
        return True

    for handler, expected in ((LOGIN, True), (ANY, False), (LOGIN, True)):
        asked.handler = handler
        assert asked.once(answers, "exempts", exempts) is expected
        assert asked.once(answers, "refuses", refuses)
    assert calls == ["exempts", "refuses", "exempts"]


def test_an_answer_depends_on_the_handler_where_one_that_it_needs_does_kept_or_not() -> None:
    asked = AskedHandler()
    asked.handler = LOGIN
    answers: dict[tuple[str, Handler | None], Handler] = {}
    outer: dict[tuple[str, Handler | None], Handler] = {}
    for name in ("first", "second"):  # the second finds the inner answer kept
        assert asked.once(outer, name, lambda: asked.once(answers, "inner", asked.look)) == LOGIN
    asked.once(outer, "third", lambda: ANY)
    assert asked.is_looked_at, "whoever asked for the first one depends on the handler still"
    assert list(outer) == [("first", LOGIN), ("second", LOGIN), ("third", None)]
