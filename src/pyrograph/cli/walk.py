"""The full-screen walk through findings. Imported only where Textual is installed (extra ``triage``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.widgets import Footer, Header, Input, OptionList, Static

from pyrograph.model.finding import Finding, Report
from pyrograph.policy.limits.editor import AROUND
from pyrograph.report.common import SourceLines, confidence_label, request_label
from pyrograph.report.safe_text import visible
from pyrograph.scanner.triage.marks import Verdict


class Walk(App[None]):
    """Shows one finding after the other, with its verdict; each verdict is written at once.

    A false finding needs a reason; then the step that is wrong is asked for, and ``rule_lines`` has a model of it.
    While something is asked, the keys of verdicts do nothing.
    """

    CSS = "#path { padding: 1 2; } #steps { display: none; height: auto; max-height: 50%; } #reason { display: none; }"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[Any]] = [
        Binding("t", "verdict('true')", "true"),
        Binding("f", "ask", "false"),
        Binding("l", "verdict('later')", "later"),
        Binding("n", "move(1)", "next"),
        Binding("p", "move(-1)", "previous"),
        Binding("q", "quit", "quit"),
    ]

    def __init__(
        self,
        report: Report,
        findings: Sequence[Finding],
        keep: Callable[[Finding, Verdict, str], None],
        lines: Callable[[Finding, int], str],
        verdicts: Mapping[str, str] | None = None,
    ) -> None:
        """``verdicts``: by fingerprint, in words, as they are before."""
        super().__init__()
        self.verdicts = dict(verdicts or {})
        self.findings = findings
        self.keep = keep
        self.lines = lines
        self.code = SourceLines(report.sources)
        self.at = 0
        self.rule_lines: list[str] = []

    def compose(self) -> ComposeResult:
        """The finding, and what asks for the reason and the step of a false one."""
        yield Header(icon="")
        with VerticalScroll():
            yield Static(id="path", markup=False)
        yield Input(placeholder="why it does no harm; Enter keeps it, Escape goes back", id="reason")
        steps = OptionList(id="steps")
        steps.border_title = "Which step is wrong? Enter: rule lines for it are printed at the end. Escape: go on"
        yield steps
        yield Footer()

    def on_mount(self) -> None:
        """Show the first finding."""
        self.show()

    def show(self) -> None:
        """Show the finding whose turn it is."""
        finding = self.findings[self.at]
        judged = sum(each.fingerprint in self.verdicts for each in self.findings)
        self.title = f"{self.at + 1} of {len(self.findings)}, {judged} judged"
        self.query_one("#path", Static).update(
            described(finding, self.code, self.verdicts.get(finding.fingerprint, "not judged"))
        )
        self.query_one(VerticalScroll).scroll_home(animate=False)

    def judge(self, verdict: Verdict, reason: str) -> None:
        """Keep a verdict on the finding that is shown."""
        finding = self.findings[self.at]
        self.keep(finding, verdict, reason)
        self.verdicts[finding.fingerprint] = f"{verdict}: {reason}" if reason else verdict

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether a key means something now."""
        asks = any(self.query_one(each).display for each in ("#reason", "#steps"))
        return not asks or action not in ("verdict", "ask", "move", "quit")

    def action_move(self, by: int) -> None:
        """Go to another finding."""
        self.at = (self.at + by) % len(self.findings)
        self.show()

    def action_verdict(self, verdict: Verdict) -> None:
        """Keep a verdict that needs no reason, and go on."""
        self.judge(verdict, "")
        self.go_on()

    def action_ask(self) -> None:
        """Ask why a finding is false."""
        field = self.query_one("#reason", Input)
        field.display = True
        field.value = ""
        field.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Keep a false finding with its reason, and ask for the step that is wrong."""
        if not event.value.strip():
            return
        finding = self.findings[self.at]
        self.judge("false", " ".join(event.value.split()))
        event.input.display = False
        steps = self.query_one("#steps", OptionList)
        steps.clear_options()
        steps.add_options(
            [f"{number}. {visible(step.message)}" for number, step in enumerate(finding.trace.steps, start=1)]
            + ["none of them"]
        )
        steps.display = True
        steps.highlighted = 0
        steps.focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Keep the rule lines that model the step."""
        finding = self.findings[self.at]
        if event.option_index < len(finding.trace.steps):
            self.rule_lines.append(self.lines(finding, event.option_index))
        event.option_list.display = False
        self.go_on()

    def key_escape(self) -> None:
        """Leave a question. The one for a step comes when the verdict is kept: then the next finding follows."""
        is_kept = self.query_one("#steps", OptionList).display
        self.query_one("#reason", Input).display = False
        self.query_one("#steps", OptionList).display = False
        self.set_focus(None)
        if is_kept:
            self.go_on()

    def go_on(self) -> None:
        """Go to the next finding; after the last one, end."""
        self.set_focus(None)
        if self.at + 1 == len(self.findings):
            self.exit()
        else:
            self.action_move(1)


def described(finding: Finding, code: SourceLines, verdict: str) -> str:
    """A finding, its verdict and its first path as lines of text; the lines around its ends, too."""
    grade = "" if finding.confidence == "high" else f"  {visible(confidence_label(finding))}"
    rows = [
        f"{finding.severity.upper()}  {finding.rule_id}{grade}",
        visible(finding.message),
        f"{visible(finding.place.path)}:{finding.place.line} in {visible(finding.function or 'the module')}",
    ]
    if request := request_label(finding.trace):
        rows.append(f"by {visible(request)}")
    rows += [f"verdict: {visible(verdict)}", ""]
    last = len(finding.trace.steps)
    for number, step in enumerate(finding.trace.steps, start=1):
        indent = "  " * step.depth
        assumed = "assumed: " if step.kind == "assumed" else ""
        place = f"{visible(step.place.path)}:{step.place.line}"
        rows.append(f"{number:>3}. {indent}{place}  {assumed}{visible(step.message)}")
        around = AROUND if number in (1, last) else 0
        for at in range(max(1, step.place.line - around), step.place.line + around + 1):
            line = code.line(step.place.path, at)
            if line is not None:
                mark = ">" if around and at == step.place.line else " "
                rows.append(f"     {indent}{mark} {visible(line.expandtabs(4).rstrip())[:120]}")
    further = finding.num_sources - 1
    if further:
        rows += ["", f"and from {further} further sources" if further > 1 else "and from 1 further source"]
    return "\n".join(rows)


__all__ = ["Walk", "described"]
