"""The bits of vulnerabilities and their aspects."""

from __future__ import annotations

from pyrograph.model.vulnerability import Aspect, Vulnerability
from pyrograph.scanner.analysis.label.wanted import Wanted


def with_aspects(name: str, *aspects: Aspect) -> Vulnerability:
    return Vulnerability(name, name, (1,), "high", 5.0, "high", "", "", aspects=aspects)


def test_a_taint_kind_lacks_the_aspects_that_say_so() -> None:
    first = with_aspects("a", Aspect("x"), Aspect("y", never=("http",)))
    second = with_aspects("b", Aspect("z", never=("http",)))
    wanted = Wanted([first, second], ["http"])
    assert (wanted.mask_of("a"), wanted.mask_of("b"), wanted.all, wanted.codes) == (0b011, 0b100, 0b1111, 0b1000)
    assert wanted.never == {"http": 0b110}


def test_objects_of_an_aspect_are_harmless_for_it_alone() -> None:
    one = with_aspects("a", Aspect("x"), Aspect("y", objects=("k",)))
    assert Wanted([one], ["http"]).objects == [(("k",), 0b10)]


def test_patterns_of_a_vulnerability_hold_for_all_its_aspects() -> None:
    one = Vulnerability("a", "a", (1,), "high", 5.0, "high", "", "", safe_text="^x", aspects=(Aspect("x"), Aspect("y")))
    two = with_aspects("b", Aspect("z", safe_text="^y", prefix="/$"))
    wanted = Wanted([one, two], ["http"])
    assert {bit: [each.pattern for each in texts] for bit, texts in wanted.safe_text.items()} == {
        0: ["^x"],
        1: ["^x"],
        2: ["^y"],
    }
    assert wanted.prefixes == {"/$": 0b100}


def test_what_is_not_looked_for_has_no_bits() -> None:
    wanted = Wanted([with_aspects("a", Aspect("x"))], ["http"])
    assert (wanted.mask_of("b"), wanted.mask_of_all(["x", "z"]), wanted.cleaned_by("any")) == (0, 0b1, wanted.all)
