"""How much to believe a path, and who can send data along it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import takewhile
from typing import Final, NamedTuple

from pyrograph.ir.codes import NONE, FunctionFlag, Op
from pyrograph.model.finding import Trace
from pyrograph.model.vulnerability import CALLERS, CONFIDENCES, Confidence, Party, Vulnerability
from pyrograph.parsers import language_of
from pyrograph.policy import doubts
from pyrograph.policy.confidence import MAX_STEPS_WITHIN
from pyrograph.policy.names.files import DEVELOPMENT_PATHS
from pyrograph.policy.names.keys import WRITTEN_PARTS
from pyrograph.rules.kinds import BROUGHT_KINDS, BROWSER, LINKED_KINDS, POSTED, REQUEST_KINDS, SCRIPTED, UPLOAD, WORKER
from pyrograph.scanner.analysis.assemble import Context
from pyrograph.scanner.analysis.label import LIBRARY, SinkRole, SourceRole
from pyrograph.scanner.analysis.label.csrf import FORM
from pyrograph.scanner.analysis.search import Hit
from pyrograph.scanner.explain.asking import Asking
from pyrograph.scanner.explain.branches import BranchCheck
from pyrograph.scanner.explain.callbacks import CallbackCheck
from pyrograph.scanner.explain.callers import NAMED, SHOWN, UNKNOWN, Callers
from pyrograph.scanner.explain.completed_calls import CompletedCalls
from pyrograph.scanner.explain.confidence import (
    Grade,
    is_doubtful_field,
    is_doubtful_piece,
    is_doubtful_whole,
    is_mostly_for_development,
    is_seldom,
    is_seldom_segment,
    is_seldom_whole,
    is_unlikely,
    rare,
    rate,
)
from pyrograph.scanner.explain.contradictions import Contradictions
from pyrograph.scanner.explain.cuts import Cuts
from pyrograph.scanner.explain.development import Development
from pyrograph.scanner.explain.development_routes import DevelopmentRoutes
from pyrograph.scanner.explain.earlier_checks import EarlierChecks
from pyrograph.scanner.explain.earlier_refusals import FREE, PROVEN
from pyrograph.scanner.explain.entries import Entries
from pyrograph.scanner.explain.filled_fields import FilledFields
from pyrograph.scanner.explain.granted import Granted
from pyrograph.scanner.explain.guessed import Guessed
from pyrograph.scanner.explain.header_senders import HeaderSenders
from pyrograph.scanner.explain.key_holders import KeyHolders
from pyrograph.scanner.explain.keyed_rows import KeyedRows
from pyrograph.scanner.explain.left_over import LeftOver
from pyrograph.scanner.explain.logins import CompletedLogins
from pyrograph.scanner.explain.named_hosts import NamedHosts
from pyrograph.scanner.explain.other_columns import OtherColumns
from pyrograph.scanner.explain.other_paths import OtherPaths
from pyrograph.scanner.explain.own_path import OwnPath
from pyrograph.scanner.explain.page_parts import PageParts
from pyrograph.scanner.explain.passed_checks import PassedChecks
from pyrograph.scanner.explain.path_shape import PathShape
from pyrograph.scanner.explain.paths import Edge
from pyrograph.scanner.explain.possible_paths import PossiblePaths
from pyrograph.scanner.explain.posted import SCRIPTED_METHODS, Posted
from pyrograph.scanner.explain.questions import ACCOUNTS, ADMINISTRATORS, OWNER
from pyrograph.scanner.explain.receivers import Receivers
from pyrograph.scanner.explain.refusals import RefusalCheck
from pyrograph.scanner.explain.regions import Regions
from pyrograph.scanner.explain.registration import Accounts
from pyrograph.scanner.explain.requested import Requested
from pyrograph.scanner.explain.requests_apart import RequestsApart
from pyrograph.scanner.explain.routing import Routing
from pyrograph.scanner.explain.sent_actions import SentActions
from pyrograph.scanner.explain.settled import Settled
from pyrograph.scanner.explain.signed_messages import Signers
from pyrograph.scanner.explain.steps import Steps
from pyrograph.scanner.explain.unloaded import Unloaded
from pyrograph.scanner.explain.unregistered import Unregistered
from pyrograph.scanner.explain.unused import Unused
from pyrograph.scanner.explain.uploads import Uploads
from pyrograph.scanner.explain.ways import Ways
from pyrograph.scanner.files.classify import language_of_name

MEANT_PASS: Final = (doubts.DEEP, doubts.LONG)  # not asked of what is sent for what is abused, see ``is_meant``


class Rating(NamedTuple):
    """The confidence in one path, who can send data along it, and the reason of doubt (``policy.doubts``) or ""."""

    confidence: Confidence
    party: Party
    doubt: str = ""

    @property
    def rank(self) -> tuple[int, int, int]:
        """What is reported first: what anybody can send, with more than low confidence."""
        reach = CALLERS.index(self.party)
        return (reach if self.confidence != "low" else 0, CONFIDENCES.index(self.confidence), reach)


def rating_without_steps(hit: Hit) -> Rating:
    """The rating of a path whose steps are not inspected; it has at least ``depth`` steps."""
    is_low = hit.assumed or hit.depth > MAX_STEPS_WITHIN
    return Rating("low" if is_low else "medium", "remote", doubts.NOT_WALKED)


def may_rank_above(grade: Grade, best: Rating) -> bool:
    """Whether a path of this confidence, or a lower one, ranks above ``best`` if anybody can send data along it."""
    return Rating(grade.confidence, CALLERS[-1]).rank > best.rank


class Rater:
    """Rates the paths of one search."""

    def __init__(
        self, steps: Steps, vulnerabilities: Mapping[str, Vulnerability], suspects: Collection[Party] = ()
    ) -> None:
        """``suspects``: parties that may be attackers, too, so that nobody asks whether they alone may call."""
        self.steps = steps
        self.shape = PathShape(steps)
        self.vulnerabilities = vulnerabilities
        self.operators = "operator" in suspects
        self.everybody = self.operators or "account" in suspects
        self.callbacks = CallbackCheck(steps.program, steps.resolution, steps.flow, steps.args)
        self.unused = Unused(steps.program, steps.labels.sources, steps.texts.generated)
        self.unregistered = Unregistered(steps.program, steps.resolution, steps.labels.sources)
        self.page_parts = PageParts(steps.program)
        self.sent_actions = SentActions(steps.program, steps.resolution, steps.labels.sources)
        self.run_by_hand: dict[str, bool] = {}  # by path: ``is_run_by_hand``
        self.unlikely: dict[tuple[str, str, str], bool] = {}  # by kind and API of a source, vulnerability: ``order``

    def rating(self, hit: Hit, vulnerability: Vulnerability) -> Rating:
        """The confidence in one path, and who can send data along it."""
        return self.rating_of_grade(hit, vulnerability, self.grade(hit, vulnerability))

    def rating_above(self, hit: Hit, vulnerability: Vulnerability, best: Rating) -> Rating | None:
        """``rating`` of a further path, or None as soon as it cannot rank above ``best``. Most further paths have low
        confidence, as the first one has: then nobody asks who can send data along them.
        """
        grade = self.grade(hit, vulnerability, best)
        return self.rating_of_grade(hit, vulnerability, grade) if may_rank_above(grade, best) else None

    def rating_of_grade(self, hit: Hit, vulnerability: Vulnerability, grade: Grade) -> Rating:
        """``rating`` of a path whose grade is known."""
        confidence, doubt = grade
        lured = vulnerability.lured and not self.shape.is_left_by_another(self.steps.edges(hit))
        evidence = UNKNOWN if self.operators or lured else self.evidence(hit)
        if evidence == SHOWN:
            return Rating(confidence, "operator", doubt)
        if evidence == NAMED:
            return Rating("low", "remote", doubt if confidence == "low" else doubts.ADMINISTRATORS)
        is_forged = vulnerability.executed and self.is_linked(hit)
        login = UNKNOWN if self.operators or lured or is_forged else self.administrators_login(hit)
        if login == SHOWN:
            return Rating(confidence, "operator", doubt)
        if login == NAMED:
            return Rating("low", "remote", doubt if confidence == "low" else doubts.ADMINISTRATORS)
        if not self.operators and not lured and self.evidence(hit, self.key_holders) == SHOWN:
            return Rating(confidence, "operator", doubt)
        if (
            vulnerability.entrusted
            and not self.everybody
            and not self.shape.is_completed(hit)
            and self.needs_account(hit)
        ):
            return Rating(confidence, "account", doubt)
        return Rating(confidence, "remote", doubt)

    def doubt_of_sink(self, sink: SinkRole) -> str:
        """Why a sink has low confidence: what arrives does harm in few places, or a rule knows its name alone."""
        return doubts.WEAK_HARM if sink.mild or sink.vulnerability in self.steps.labels.weak else doubts.NAME_ALONE

    def administrators_login(self, hit: Hit) -> int:
        """Evidence that only people with an account take a path, where all accounts are administrators'."""
        if self.accounts.are_administrators:
            return self.evidence(hit, self.members)
        return self.evidence(hit, self.owner) if self.accounts.are_operators else UNKNOWN

    def is_linked(self, hit: Hit) -> bool:
        """Whether a link sends what a source reads: its handler answers such requests, and it reads their address."""
        source = self.steps.labels.sources[hit.source_role]
        return source.kind in LINKED_KINDS and any(
            "GET" in each.methods for each in self.entries.of_value(source.value)
        )

    def needs_account(self, hit: Hit) -> bool:
        """Whether only people with an account take a path, no visitor can make one, and all accounts are equal."""
        if not self.accounts.are_equal:  # found once for the program; the evidence is searched for each path
            return False
        return self.evidence(hit, self.members) != UNKNOWN and not self.accounts.are_open

    def other_ways(self, hit: Hit, rating: Rating) -> Iterator[Hit]:
        """Hits of the same source and sink whose paths go round code that gives a rating its party."""
        askers = [self.members]
        if rating.party == "operator":
            logins = self.accounts.are_administrators or self.accounts.are_operators
            askers = [self.callers, self.key_holders, *([self.owner] if logins else [])]
        return self.ways_round.of(hit, askers)

    @cached_property
    def ways_round(self) -> OtherPaths:
        return OtherPaths(self.steps)

    def evidence(self, hit: Hit, callers: Callers | None = None) -> int:
        """Evidence that only an administrator's request, or that of another party, takes a path: some code on it, a
        call that it enters or the sink runs for nobody else.
        """
        callers = callers or self.callers
        results = self.steps.program.numbers("calls", "result")
        found = callers.evidence_at(self.steps.labels.sources[hit.source_role].value)
        for edge in self.steps.edges(hit):
            context = self.steps.context[edge.row]
            if found == SHOWN or context == Context.HEAP:  # another request may go on from there
                return found
            site = int(self.steps.flow.site[edge.row]) if context == Context.CALL else NONE
            target = self.steps.flow.value[edge.target]
            if 0 <= site < len(results):
                entered = int(callers.function[target])
                found = max(found, callers.evidence_at(results[site]), callers.of_choice(site, entered))
            found = max(found, callers.evidence_at(target))
        sink = self.steps.labels.sinks[hit.sink_role].call
        return max(found, callers.evidence_at(results[sink])) if sink != NONE else found

    def is_possible(self, hit: Hit) -> bool:
        """Whether neither a constant that a call on the path passes, or all calls do, nor a condition before keeps it
        from the sink.
        """
        edges, sink = self.steps.edges(hit), self.steps.labels.sinks[hit.sink_role]
        if not self.branches.is_possible(edges, sink) or not self.contradictions.is_possible(edges, sink):
            return False
        return self.completed_calls.is_possible(hit) and self.settled.is_possible(
            [self.steps.labels.sources[hit.source_role].value, *self.values_to(edges, sink.call)]
        )

    def begun(self, source: SourceRole, edges: Sequence[Edge]) -> list[int]:
        """The values at which a path begins, and goes on where it has left the calls that it came from."""
        left = [edge.target for edge in edges if self.steps.context[edge.row] == Context.HEAP]
        return [source.value, *(self.steps.flow.value[each] for each in left)]

    @cached_property
    def receivers(self) -> Receivers:
        return Receivers(self.callers.regions, self.steps, self.steps.texts)

    @cached_property
    def branches(self) -> BranchCheck:
        return BranchCheck(self.callers.regions, self.steps.flow, self.steps.args)

    @cached_property
    def other_columns(self) -> OtherColumns:
        return OtherColumns(self.steps, self.keyed_rows)

    @cached_property
    def keyed_rows(self) -> KeyedRows:
        return KeyedRows(self.callers, self.steps.flow, self.steps.args)

    @cached_property
    def settled(self) -> Settled:
        return Settled(self.branches, self.callers)

    @staticmethod
    def is_of_hosts(vulnerability: Vulnerability) -> bool:
        """Whether what arrives decides to which host a request goes."""
        return vulnerability.connects and not vulnerability.part_of

    @cached_property
    def named_hosts(self) -> NamedHosts:
        return NamedHosts(self.callers.regions, self.steps.texts)

    @cached_property
    def possible_paths(self) -> PossiblePaths:
        return PossiblePaths(self.steps, self.branches, self.settled)

    @cached_property
    def completed_calls(self) -> CompletedCalls:
        return CompletedCalls(self.branches, self.steps)

    @cached_property
    def contradictions(self) -> Contradictions:
        return Contradictions(self.callers.regions, self.steps.flow)

    @cached_property
    def refusals(self) -> RefusalCheck:
        asking = Asking(self.callers.regions, self.steps.labels, self.steps.args)
        return RefusalCheck(asking, self.callers.regions, self.steps.flow, self.steps.texts)

    @cached_property
    def earlier_checks(self) -> EarlierChecks:
        return EarlierChecks(self.refusals.asking, self.entries)

    @cached_property
    def filled(self) -> FilledFields:
        return FilledFields(self.earlier_checks.parts, self.posted, self.steps.texts)

    @cached_property
    def passed_checks(self) -> PassedChecks:
        return PassedChecks(self.steps, self.refusals, self.vulnerabilities)

    @cached_property
    def callers(self) -> Callers:
        """Who are administrators."""
        regions = Regions(
            self.steps.program, self.steps.resolution, self.steps.labels.non_returning, self.steps.texts, ADMINISTRATORS
        )
        callers = Callers(regions, self.steps.args, self.steps.labels.access.operators)
        asks = Granted(callers).asks(ADMINISTRATORS.asks)
        return callers.about(replace(ADMINISTRATORS, asks=asks), self.steps.labels.access.operators)

    @cached_property
    def key_holders(self) -> KeyHolders:
        """Who have the key that the operator set."""
        return KeyHolders.of(self.callers)

    @cached_property
    def signers(self) -> Signers:
        """Who have the key with which messages are signed."""
        access = self.steps.labels.access
        return Signers.of_messages(self.key_holders, access.verifying, access.forged)

    @cached_property
    def header_senders(self) -> HeaderSenders:
        """Who sends a header that no link adds."""
        return HeaderSenders.of_headers(self.key_holders, self.steps.labels.access.bearers)

    @cached_property
    def entries(self) -> Entries:
        """By which handlers and routes requests reach code."""
        access = self.steps.labels.access
        routing = Routing(self.callers, access.routes, access.default_methods, access.dangerous)
        return Entries(self.callers, self.members, routing, access.no_requests)

    @cached_property
    def requests_apart(self) -> RequestsApart:
        return RequestsApart(self.entries, self.steps.flow)

    @cached_property
    def left_over(self) -> LeftOver:
        return LeftOver(self.entries, self.steps.labels.sources)

    @cached_property
    def unloaded(self) -> Unloaded:
        return Unloaded(self.entries, self.steps.labels.sources, self.steps.texts.declarations)

    def is_unloaded(self, source: SourceRole, edges: Sequence[Edge]) -> bool:
        """Whether a path goes through a file that nothing loads."""
        values = [source.value, *(self.steps.flow.value[edge.target] for edge in edges)]
        first = {int(self.steps.program.file_of_value[value]): value for value in values}  # by file
        return any(map(self.unloaded.is_unloaded, first.values()))

    @cached_property
    def posted(self) -> Posted:
        return Posted(self.callers)

    @cached_property
    def development(self) -> Development:
        return Development(self.callers, lambda value: self.keyed_rows.branches.constant(value, {}))

    @cached_property
    def development_routes(self) -> DevelopmentRoutes:
        return DevelopmentRoutes.of(self.callers, self.development)

    @cached_property
    def requested(self) -> Requested:
        return Requested(self.entries, self.steps.labels.sources)

    @cached_property
    def guessed(self) -> Guessed:
        return Guessed(self.steps)

    @cached_property
    def ways(self) -> Ways:
        return Ways(self.steps)

    @cached_property
    def cuts(self) -> Cuts:
        return Cuts(self.callers, self.steps)

    @cached_property
    def uploads(self) -> Uploads:
        return Uploads(self.callers, self.steps)

    @cached_property
    def own_path(self) -> OwnPath:
        return OwnPath(self.callers, self.steps)

    @cached_property
    def logins(self) -> CompletedLogins:
        access = self.steps.labels.access
        return CompletedLogins.of(self.callers.regions, access.completing, access.incomplete)

    @cached_property
    def scripted(self) -> Posted:
        return Posted(self.callers, SCRIPTED_METHODS)

    @cached_property
    def members(self) -> Callers:
        """Who have an account."""
        return self.callers.about(ACCOUNTS, self.steps.labels.access.accounts)

    @cached_property
    def owner(self) -> Callers:
        """Who has the one account."""
        return self.callers.about(OWNER, self.steps.labels.access.accounts)

    @cached_property
    def accounts(self) -> Accounts:
        labels = self.steps.labels
        receiving = [each.value for each in labels.sources if each.kind in REQUEST_KINDS]
        access = labels.access
        return Accounts(access.registering, access.registering_names, (self.callers, self.members), receiving)

    def grade(self, hit: Hit, vulnerability: Vulnerability, best: Rating | None = None) -> Grade:
        """The confidence in one path. Steps are made only if no check and no unlikely source decides.

        ``best``: a higher grade is good enough where it does not rank above that.
        """
        source, sink = self.steps.labels.sources[hit.source_role], self.steps.labels.sinks[hit.sink_role]
        if sink.shown_by and self.steps.shown_in(hit) is None:
            return Grade("low", doubts.NAME_ALONE)  # another caller gets what the function returns
        if is_unlikely(source, sink, vulnerability):
            return Grade("low", doubts.UNLIKELY_SOURCE)
        if SCRIPTED in vulnerability.unlikely and self.is_scripted(hit, source.value, sink):
            return Grade("low", doubts.SCRIPTED)
        if source.api in self.steps.labels.texts.get(sink.vulnerability, ()) and self.shape.is_part(hit):
            return Grade("low", doubts.TEXT_PART)
        if source.value in self.steps.labels.checks.behind_schemas and (
            # what a schema lets through is seldom an object where a text is expected, and its keys are seldom free
            vulnerability.objects or (sink.keys and not self.steps.member_read(hit))
        ):
            return Grade("low", doubts.CHECK)
        rated = self.grade_of_path(hit, vulnerability, best)
        if rated.confidence == "low" or (best is not None and not may_rank_above(rated, best)):
            return rated  # what is asked below only lowers it
        if vulnerability.connects and sink.call in self.steps.labels.checks.connections:
            return Grade("low", doubts.REFUSED)
        if sink.call in self.steps.labels.checks.chosen_servers:
            return Grade("low", doubts.CHOSEN_SERVER)
        hosts = self.named_hosts if self.is_of_hosts(vulnerability) else None
        if self.refusals.is_refused(self.steps.edges(hit), source.value, sink, hosts):
            return Grade("low", doubts.REFUSED)
        if self.own_path.is_kept(source.value, self.steps.edges(hit), vulnerability):
            return Grade("low", doubts.OWN_PATH)
        if rated.confidence != "high":
            return rated
        doubt = self.weak_doubt(hit, source, sink, vulnerability)
        if doubt or source.kind not in REQUEST_KINDS:
            return Grade("medium", doubt) if doubt else rated
        path = [self.steps.flow.value[edge.target] for edge in self.steps.edges(hit)]
        if not self.steps.labels.checks.decoded.isdisjoint(path):
            return rated  # what was checked earlier has been decoded since
        earlier = self.earlier_checks.degree(source, self.part_name(hit, source), path, sink.vulnerability)
        if earlier != FREE:
            return Grade("low" if earlier == PROVEN else "medium", doubts.CHECKED_BEFORE)
        return rated

    def is_beside_fixed(self, hit: Hit, sink: SinkRole) -> bool:
        """Whether nothing arrives but what is beside a folder, "/srv/data-old" beside "/srv/data", and the program
        itself gives the folder its name: few programs have another one whose name begins so.
        """
        checks = self.steps.labels.checks
        if not checks.fixed_prefixes or not checks.prefixed >> sink.vulnerability & 1:
            return False
        return any(self.steps.flow.value[edge.target] in checks.fixed_prefixes for edge in self.steps.edges(hit))

    def weak_doubt(self, hit: Hit, source: SourceRole, sink: SinkRole, vulnerability: Vulnerability) -> str:
        """Why a path without any other doubt has medium confidence; "" for high."""
        named = self.steps.resolution.named_calls
        if self.steps.labels.medium >> sink.vulnerability & 1 or self.is_beside_fixed(hit, sink):
            return doubts.WEAK_HARM
        if sink.option:
            return doubts.OPTION_NAME
        is_sent_by_victim = not (vulnerability.lured and self.shape.is_left_by_another(self.steps.edges(hit)))
        if vulnerability.lured and self.is_behind_login(hit, source, sink):
            return doubts.LOGIN
        if vulnerability.lured and self.needs_header(hit, source, sink):
            return doubts.HEADER
        if self.is_signed(hit, source, vulnerability):
            return doubts.SIGNED
        is_content = self.uploads.is_content(source, self.steps.edges(hit))
        if doubt := rare(source, sink, vulnerability, is_sent_by_victim=is_sent_by_victim, is_content=is_content):
            return doubt
        if WORKER in vulnerability.doubtful and self.is_worker(sink):
            return doubts.WORKER
        if BROWSER in vulnerability.doubtful and self.is_in_browser(hit, sink):
            return doubts.BROWSER
        if is_doubtful_piece(source, sink, vulnerability) and self.cuts.behind_last(self.steps.edges(hit)) is not None:
            return doubts.RARE_SOURCE
        if is_doubtful_field(sink, vulnerability) and self.shape.is_undecided_field(hit, sink, vulnerability):
            return doubts.FIELD
        if self.shape.is_under_unknown_key(hit, sink):
            return doubts.UNKNOWN_KEY
        if self.guessed.is_doubtful(source):
            return doubts.GUESSED
        if any(int(self.steps.flow.site.data[edge.row]) in named for edge in self.steps.edges(hit)):
            return doubts.METHOD_NAME
        if source.kind in BROUGHT_KINDS and self.requested.is_left_alone(source.value):
            return doubts.UNREQUESTED
        if source.kind == LIBRARY and vulnerability.entrusted and self.shape.is_unchanged(hit):
            return doubts.HANDED_OVER
        if source.kind not in REQUEST_KINDS:
            return ""
        name = self.part_name(hit, source)
        if not name and source.kind != UPLOAD and self.is_whole(hit, source, sink, vulnerability):
            return doubts.WHOLE_REQUEST
        return self.ways.doubt(self.steps.edges(hit), name, vulnerability)

    def is_worker(self, sink: SinkRole) -> bool:
        """Whether a sink lies in a file that is deployed to workers of a content network."""
        program = self.steps.program
        return program.modules.is_worker(int(program.file_of_value[sink.value]))

    def is_in_browser(self, hit: Hit, sink: SinkRole) -> bool:
        """Whether a path leads through a file that begins with a text which says that its code runs in browsers."""
        begun = self.sent_actions.begun
        if not begun:
            return False
        files, value = self.steps.program.file_of_value, self.steps.flow.value
        path = [sink.value, *(value[edge.target] for edge in self.steps.edges(hit))]
        return not begun.isdisjoint(int(files[each]) for each in path)

    def is_whole(self, hit: Hit, source: SourceRole, sink: SinkRole, vulnerability: Vulnerability) -> bool:
        """Whether a request arrives as a whole, and this is a doubt (``unnamed SOURCE``): nothing takes a piece out of
        it that is used as it is, and no later request reads a column of a table that keeps it.
        """
        if not is_doubtful_whole(source, vulnerability) or self.shape.is_column(hit, sink):
            return False
        behind = self.cuts.behind_last(self.steps.edges(hit))
        return behind is None or self.shape.is_put_together(behind)

    def is_behind_login(self, hit: Hit, source: SourceRole, sink: SinkRole) -> bool:
        """Whether some code on a path runs only when the login that this browser began is completed; code behind a
        value that another request may have stored, at the beginning of the login, does not count.
        """
        values, edges = [source.value], self.steps.edges(hit)
        sent = list(takewhile(lambda edge: self.steps.context[edge.row] != Context.HEAP, edges))
        values += self.values_to(sent, sink.call if len(sent) == len(edges) else NONE)
        return self.logins.is_passed(values)

    def needs_header(self, hit: Hit, source: SourceRole, sink: SinkRole) -> bool:
        """Whether the last request of a path is answered only where it has a header that no link adds."""
        edges = self.steps.edges(hit)
        stored = [at for at, edge in enumerate(edges) if self.steps.context[edge.row] == Context.HEAP]
        values = self.values_to(edges[stored[-1] if stored else 0 :], sink.call)
        values = values if stored else [source.value, *values]
        return any(self.header_senders.evidence_at(each) == SHOWN for each in values)

    def is_signed(self, hit: Hit, source: SourceRole, vulnerability: Vulnerability) -> bool:
        """Whether code on a path runs only for messages whose signature was verified, what is read of the message is
        no text that the sender passes on, and such a text would do no harm.
        """
        is_harmless = vulnerability.connects or vulnerability.lured or bool(vulnerability.objects)
        if not is_harmless or source.kind not in REQUEST_KINDS or self.evidence(hit, self.signers) != SHOWN:
            return False
        loads = self.steps.program.tables["loads"]["key"]
        path = [self.steps.flow.value[edge.target] for edge in self.steps.edges(hit)]
        keys = [int(loads[self.callers.data[each]]) for each in path if self.callers.op[each] == Op.LOAD]
        names = [self.part_name(hit, source), *(self.callers.strings[key] for key in keys if key >= 0)]
        return not any(WRITTEN_PARTS.search(each.lstrip("'")) for each in names)

    def is_meant(self, hit: Hit, source: SourceRole, vulnerability: Vulnerability) -> bool:
        """Whether what is connected to or opened is a part of the request that is named as an address, or as a path: it
        is there to be opened, however many functions hand it on. The name of an uploaded file is no such part: a
        browser sends it. Where a victim's browser does the harm (``lured``), names say less.
        """
        is_asked = not vulnerability.lured and source.kind in REQUEST_KINDS - {UPLOAD}
        meant = vulnerability.meant if is_asked else ""
        return bool(meant) and re.search(meant, self.part_name(hit, source)) is not None

    def part_name(self, hit: Hit, source: SourceRole) -> str:
        """The name of the part of the request that a source reads, as reports show it; ""."""
        name = self.entries.parameter(source, self.name_read(hit, source)).name
        return name or self.steps.parameter_name(source.value)

    def name_read(self, hit: Hit, source: SourceRole) -> str:
        """The name under which a path reads the part of a source that it goes on with; "" where no code on it is known
        to. One value stands for all places that read the same source, so that the code behind it may read another part.
        """
        name = self.steps.member_read(hit)
        return name or (self.name_on_path(hit, source) if self.entries.parameter(source).name else "")

    def name_on_path(self, hit: Hit, source: SourceRole) -> str:
        path = [self.steps.flow.value[edge.target] for edge in self.steps.edges(hit)]
        return self.earlier_checks.parts.name_on_path(source, path)

    def grade_of_path(
        self, hit: Hit, vulnerability: Vulnerability, best: Rating | None = None, *, is_last: bool = False
    ) -> Grade:
        """``grade`` by what the path alone shows. ``best``: as there. ``is_last``: no other path stands for it."""
        source, sink = self.steps.labels.sources[hit.source_role], self.steps.labels.sinks[hit.sink_role]
        edges = self.steps.edges(hit)
        harm = self.steps.harm_along(edges, sink.vulnerability)
        hosts = self.named_hosts if self.is_of_hosts(vulnerability) else None
        if self.steps.is_checked(edges, harm, is_executed=vulnerability.executed, hosts=hosts):
            return Grade("low", doubts.CHECK)
        if not self.callbacks.is_consistent(edges, sink):
            return Grade("low", doubts.CALLBACK)
        trace = None
        if best is not None:  # most further paths are too long, which is cheap to see
            trace = self.rated_trace(hit, sink)
            most = self.grade_of_length(hit, vulnerability, trace)
            if not may_rank_above(most, best):
                return most  # what is asked below only lowers it
        if not self.is_possible(hit):
            other = None if is_last else self.possible_paths.possible(hit)
            if other is None:
                return Grade("low", doubts.BRANCH)
            self.steps.take(hit, other)
            return self.grade_of_path(hit, vulnerability, best, is_last=True)
        rows = [row for row, _ in self.steps.rows(hit)]
        possible = self.receivers.possible(hit, rows)
        if possible is None or (is_last and possible is not rows):
            return Grade("low", doubts.DISPATCH)
        if possible is not rows:
            self.steps.take(hit, possible)
            return self.grade_of_path(hit, vulnerability, best)  # once: nothing is wrong with the new one
        if not self.requests_apart.is_possible(edges, source.value):
            return Grade("low", doubts.OTHER_REQUEST)
        if self.other_columns.wrong(hit, edges, source.value) is not None:
            other = None if is_last else self.other_columns.possible(hit, source.value)
            if other is None:
                return Grade("low", doubts.OTHER_ROW)
            self.steps.take(hit, other)
            return self.grade_of_path(hit, vulnerability, best, is_last=True)
        if POSTED in vulnerability.seldom and not self.shape.is_stored(edges) and self.is_own_field(hit, source):
            return Grade("low", doubts.POSTED)
        if source.kind in REQUEST_KINDS and self.shape.is_own_answer(edges):
            return Grade("low", doubts.OWN_ANSWER)
        if self.shape.is_number_in_answer(hit, sink):
            return Grade("low", doubts.NUMBER)
        if self.unused.is_unused(source.value) or self.unregistered.is_unregistered(source.value):
            return Grade("low", doubts.UNUSED)
        if self.sent_actions.is_unsent(source.value):
            return Grade("low", doubts.UNUSED)
        if source.kind in REQUEST_KINDS and any(map(self.left_over.is_left_over, self.begun(source, edges))):
            return Grade("low", doubts.UNUSED)
        if source.kind in REQUEST_KINDS and self.is_unloaded(source, edges):
            return Grade("low", doubts.UNUSED)
        if self.is_under_development(edges, sink.call) or self.is_of_development(sink.value):
            return Grade("low", doubts.DEVELOPMENT)
        if self.development_routes.is_only(source.value):
            return Grade("low", doubts.DEVELOPMENT)
        self.steps.edges_walked += len(edges)
        trace = trace or self.rated_trace(hit, sink)
        if all(self.is_run_by_hand(path) for path in {step.place.path for step in trace.steps}):
            return Grade("low", doubts.DEVELOPMENT)
        is_unknown = sink.exact and self.shape.is_unknown_result(edges)
        rated = rate(
            trace,
            vulnerability,
            sink.api,
            is_exact=self.is_exact(edges),
            is_unknown=is_unknown,
            is_development=self.is_development,
            seldom=self.seldom(hit, vulnerability, is_stored=self.shape.is_left_by_another(edges)),
            is_answer=sink.call == NONE and not sink.template.path,
        )
        rated = self.passed_if_meant(hit, vulnerability, rated)
        is_of_page = vulnerability.lured and self.is_read_by_module(source.value)
        is_kept = rated.confidence == "high" and not is_of_page and self.shape.is_kept(edges)
        return Grade("medium", doubts.SETTINGS) if is_kept else rated

    def rated_trace(self, hit: Hit, sink: SinkRole) -> Trace:
        """The steps of a path by which its confidence is rated."""
        trace = self.steps.uncounted_trace(hit, with_texts=False)
        if sink.template.path or sink.shown_by:  # a template is no file that the data goes through
            return replace(trace, steps=trace.steps[:-1])
        return trace

    def is_exact(self, edges: Sequence[Edge]) -> bool:
        """Whether no step of a path forgets the calling context, and none is assumed."""
        return all(self.steps.context[edge.row] != Context.HEAP and not self.steps.assumed[edge.row] for edge in edges)

    def grade_of_length(self, hit: Hit, vulnerability: Vulnerability, trace: Trace) -> Grade:
        """The grade of a path by its steps alone: the highest that ``grade_of_path`` may find."""
        sink = self.steps.labels.sinks[hit.sink_role]
        rated = rate(
            trace,
            vulnerability,
            sink.api,
            is_exact=self.is_exact(self.steps.edges(hit)),
            is_development=self.is_development,
            is_answer=sink.call == NONE and not sink.template.path,
        )
        return self.passed_if_meant(hit, vulnerability, rated)

    def passed_if_meant(self, hit: Hit, vulnerability: Vulnerability, rated: Grade) -> Grade:
        """High confidence where the only doubt is the length of a path to what is meant: ``is_meant``."""
        source = self.steps.labels.sources[hit.source_role]
        is_medium = rated.confidence == "medium"
        if is_medium and rated.doubt in MEANT_PASS and self.is_meant(hit, source, vulnerability):
            return Grade("high")
        return rated

    def seldom(self, hit: Hit, vulnerability: Vulnerability, *, is_stored: bool) -> str:
        """Why what a source reads seldom does this harm; "" for no such reason. What an attacker stores he sends
        himself, so that it does not matter what another site can make a browser send.
        """
        source, sink = self.steps.labels.sources[hit.source_role], self.steps.labels.sinks[hit.sink_role]
        if source.unsure >> sink.vulnerability & 1:
            return doubts.UNKNOWN_ROUTE
        if vulnerability.lured and is_stored:
            return ""
        reason = self.seldom_reason(hit, source, vulnerability)
        if not reason and not is_stored and POSTED in vulnerability.seldom and self.passes_posted(hit, sink):
            reason = doubts.POSTED
        if reason and POSTED in vulnerability.seldom and self.is_filled(hit, source, vulnerability):
            return ""
        return reason

    def passes_posted(self, hit: Hit, sink: SinkRole) -> bool:
        """Whether a function on a path runs for posted requests alone: a helper that reads a parameter of the request
        serves other handlers, too, and what it returns arrives in this one.
        """
        functions = self.steps.program.tables["values"]["function"]
        values = [self.steps.flow.value[edge.target] for edge in self.steps.edges(hit)]
        passed = dict.fromkeys(int(functions[value]) for value in (*values, sink.value))
        return any(map(self.posted.of_function, passed))

    def seldom_reason(self, hit: Hit, source: SourceRole, vulnerability: Vulnerability) -> str:
        """Why what a source reads seldom does this harm, by its kind, its API and its handler."""
        if is_seldom(source.kind, source.api, vulnerability):
            return doubts.SELDOM_SOURCE
        if is_seldom_whole(source.kind, source.api, vulnerability) and not self.steps.member_read(hit):
            return doubts.SELDOM_SOURCE
        is_segment = is_seldom_segment(source.api, vulnerability)
        if is_segment and self.page_parts.is_part(source.value, self.part_name(hit, source)):
            return doubts.SELDOM_SOURCE
        if POSTED in vulnerability.seldom and self.posted.is_posted(source.value):
            return doubts.POSTED
        return ""

    def is_filled(self, hit: Hit, source: SourceRole, vulnerability: Vulnerability) -> bool:
        """Whether a path begins with a field of a form that a link fills in."""
        return self.filled.is_filled(source, self.field_name(hit, source), vulnerability)

    def is_own_field(self, hit: Hit, source: SourceRole) -> bool:
        """Whether a path begins with a field of a form that the program's pages write, and other sites cannot send."""
        return source.kind == FORM and self.filled.is_own(source, self.field_name(hit, source))

    def field_name(self, hit: Hit, source: SourceRole) -> str:
        return self.part_name(hit, source) or self.name_on_path(hit, source)

    def is_under_development(self, edges: Sequence[Edge], call: int) -> bool:
        """Whether a path goes through a branch that runs where the program is developed only."""
        return any(map(self.development.is_only, self.values_to(edges, call)))

    def is_of_development(self, value: int) -> bool:
        """Whether a value lies in a method of a class whose objects are made where the program is developed only."""
        owner = self.left_over.class_of.get(self.left_over.outermost(int(self.callers.function[value])), NONE)
        return owner != NONE and self.development.is_made_only(owner)

    def values_to(self, edges: Sequence[Edge], call: int) -> list[int]:
        """The values that edges lead to, and the result of the call behind them, if it is one."""
        results = self.steps.program.tables["calls"]["result"]
        values = [self.steps.flow.value[edge.target] for edge in edges]
        return [*values, int(results[call])] if 0 <= call < len(results) else values

    def is_scripted(self, hit: Hit, source: int, sink: SinkRole) -> bool:
        """Whether a path ends with the answer to a request that neither a link nor a form makes."""
        left = [edge for edge in self.steps.edges(hit) if self.steps.context[edge.row] == Context.HEAP]
        if not left:
            return self.scripted.is_posted(source) or self.is_entered_by_script(source)
        # another request may go on behind what is stored: the one that reads it and answers
        read = self.steps.flow.value[left[-1].target]
        return self.is_entered_by_script(sink.value) or self.is_entered_by_script(read)

    def is_entered_by_script(self, source: int) -> bool:
        """Whether the routes by which requests reach a source are all known, and no link or form has their methods."""
        methods = [frozenset(map(str.lower, each.methods)) for each in self.entries.of_value(source)]
        return bool(methods) and all(each and each <= SCRIPTED_METHODS for each in methods)

    def is_read_by_module(self, source: int) -> bool:
        """Whether a source is read while its file is loaded, as a page reads its address: then a variable of the
        module is another name for it, and no setting.
        """
        flags = self.steps.program.tables["functions"]["flags"]
        return bool(flags[self.callers.function[source]] & FunctionFlag.MODULE)

    def is_run_by_hand(self, path: str) -> bool:
        """Whether a file says that it belongs to no build of the program."""
        known = self.run_by_hand.get(path)
        if known is None:
            language, text = language_of_name(path), self.steps.texts.read.get(path, b"")
            known = self.run_by_hand[path] = language is not None and language_of(language).is_run_by_hand(text)
        return known

    @cached_property
    def is_development(self) -> bool:
        """Whether tests and examples are what is scanned: most files are, and the others read nothing from outside."""
        program = self.steps.program
        reading = {int(program.file_of_value[source.value]) for source in self.steps.labels.sources}
        if any(DEVELOPMENT_PATHS.search(program.files[each].path) is None for each in reading):
            return False
        return is_mostly_for_development([file.path for file in program.files])

    def order(self, hit: Hit) -> tuple[bool, bool, bool, int, int, int]:
        """Sort key, likely hits first: no sink matched by name alone, no kind of source that seldom does harm, no
        assumed edge, a short path.
        """
        sink = self.steps.labels.sinks[hit.sink_role]
        source = self.steps.labels.sources[hit.source_role]
        name = source.kind, source.api, self.steps.labels.vulnerabilities[sink.vulnerability]
        unlikely = self.unlikely.get(name)
        if unlikely is None:  # once for all hits between such sources and sinks
            rating = self.vulnerabilities[name[-1]]
            unlikely = source.kind in rating.unlikely or is_seldom(source.kind, source.api, rating)
            self.unlikely[name] = unlikely
        unlikely = unlikely or bool(source.unsure >> sink.vulnerability & 1)
        return (sink.low, unlikely, hit.assumed, hit.depth, hit.source_role, hit.sink_role)
