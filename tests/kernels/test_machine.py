"""The memory that a process may use: the machine's, or less."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph.kernels import machine


@pytest.mark.parametrize(("text", "limit"), [("1000000\n", 1_000_000), ("max\n", None), (str(2**63 - 4096), None)])
def test_a_container_can_have_less_than_the_machine(
    text: str, limit: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "CGROUPS", (tmp_path / "absent",))
    whole = machine.memory()
    assert whole > 1_000_000
    (tmp_path / "memory.max").write_text(text, encoding="ascii")
    monkeypatch.setattr(machine, "CGROUPS", (tmp_path / "absent", tmp_path / "memory.max"))
    assert machine.memory() == (whole if limit is None else limit)


def test_a_system_that_does_not_say_is_taken_to_have_enough_for_most(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(name: str) -> int:
        raise ValueError(name)

    monkeypatch.setattr("os.sysconf", unknown, raising=False)
    monkeypatch.setattr(machine, "CGROUPS", ())
    assert machine.memory() == machine.UNKNOWN


def test_at_least_one_thread() -> None:
    assert machine.threads() >= 1
