"""Find the minimal sets of constraints to relax for an instance without recourse."""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeAlias

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.compile.arguments import check_time
from p2ce.compile.compiled_problem import EXACT, Problem
from p2ce.compile.lay_out import with_codebook
from p2ce.compile.within_reach import reaching
from p2ce.engine.solver.branch_and_bound import Progress
from p2ce.errors import InvalidArgument
from p2ce.policy.rules.linked import Linked
from p2ce.policy.rules.one_hot import OneHot
from p2ce.result.certificate import Certificate, Status
from p2ce.result.explanation import Explanation
from p2ce.result.relaxations import Relaxation, Relaxations, Restriction
from p2ce.run.analysis.relaxed_problems import NOT_KNOWN, AnyOption, RelaxedProblems, seek_any_option
from p2ce.run.analysis.restrictions import Relaxable, restrictions_of
from p2ce.run.analysis.same_problem import another_problem
from p2ce.run.analysis.smallest_sets import Set, smallest_of, smallest_sets
from p2ce.run.build_explanation import build_explanation
from p2ce.run.compile_kernels import is_ready
from p2ce.run.explain_batch import explain_batch
from p2ce.run.problems import Problems
from p2ce.run.time_limits import LimitClock, SearchLimits
from p2ce.run.verified import Trust
from p2ce.tables.encode import EncodedRows, encode_row

# Explains the given row within limits, on the problem's own grid. Also returns the work that it took.
ExplainRow: TypeAlias = Callable[[Problem, EncodedRows, SearchLimits], tuple[Explanation, int]]
# Searches for any option of the given row within limits.
SeekAny: TypeAlias = Callable[[Problem, EncodedRows, SearchLimits], AnyOption]

# It pays off to widen a set without recourse only if that is quick: it saves later searches. What searches
# without a result may take together is counted as work (tenths of a second of a compiled search), so the same
# sets are widened on every machine.
WIDENING_WORK = 50_000_000
WIDENING_SHARE = 4  # of the work that the set itself took
SEARCH_SHARE = 2  # one search takes at most half of what is left


def _require_none(explanation: Explanation) -> None:
    """Reject an explanation that does not prove that there is no option."""
    if explanation.status is not Status.NO_RECOURSE:
        raise InvalidArgument(
            f"relaxations() explains a proof that there is no option (NO_RECOURSE), but this explanation is "
            f"{explanation.status}: {_instead(explanation)}"
        )


def _instead(explanation: Explanation) -> str:
    if len(explanation):
        return "it has options."
    return {
        Status.TIME_LIMIT: _unfinished(explanation.certificate),
        Status.HEURISTIC: _unproven(explanation.certificate),
        Status.ACCEPTED: "the person needs no change.",
    }[explanation.status]


def _unfinished(certificate: Certificate | None) -> str:
    if certificate is not None and certificate.finest_open:
        return (
            "the finest grid was not searched to its end. Name steps, ranges or values in the policy and "
            "explain the person again: then that grid is all there is to search."
        )
    return "nothing is proven. Explain the person with a longer time_limit first."


def _unproven(certificate: Certificate | None) -> str:
    because, proving = "an estimate cut the search", "bound=None"
    if certificate is not None and certificate.method != EXACT:
        proving = "method='exact'"
    if certificate is not None and certificate.unproven_because == "misprint":
        because = "the algorithm ran as printed"
    instead = f"Make an explainer with {proving} and explain the person with it."
    return f"nothing is proven, since {because}. {instead}"


def relaxations(
    problems: Problems,
    trust: Trust,
    explanation: Explanation,
    *,
    time_limit: float | None,
    relaxed: RelaxedProblems | None = None,
) -> Relaxations:
    """Find all minimal sets of restrictions whose removal yields a counterfactual, small sets first.

    ``time_limit`` is in seconds, for all sets together. ``relaxed`` holds problems that people share.
    """
    relaxed = RelaxedProblems() if relaxed is None else relaxed
    problem = problems.of_explanation(explanation, call="relaxations")
    if problem.method is not None:
        problem = problems.prepared(problem, LimitClock(None))
    check_time(time_limit)
    _require_none(explanation)
    explain = partial(_explain_on_own_grid, problems, trust)
    rows = encode_row(explanation.person, problem.codebook, kind=explanation._kind)
    problem = with_codebook(problem, rows.codebook)
    relaxable = restrictions_of(problem, rows.values[0], problems.known.compiled.ends)
    freest = relaxed.of(problem, relaxable)
    # Compiling does not count as time.
    if problem.method is None and not is_ready(freest):
        explain(freest, rows, SearchLimits(seconds=0.0))
    seek = partial(_seek_if_trusted, problems, trust)
    hunt = _Hunt(problem, rows, relaxable, relaxed, explain, seek, time_limit)
    smallest = smallest_sets(
        hunt.plain, hunt.odd, ask=hunt.opens, is_no=hunt.stays_shut, is_over=hunt.is_over
    )
    hunt.check_start()
    unsettled = smallest_of(hunt.with_needs(some) for some in smallest.unsettled)
    relaxations = tuple(
        Relaxation(
            restrictions=hunt.named(some),
            # The first one is the cheapest. It is not part of a front.
            counterfactual=replace(hunt.explained[some][0], number=0),
            proven=hunt.explained[some].status is Status.OPTIMAL
            and not any(part < some for part in unsettled)
            and hunt.is_trusted,
        )
        for some in smallest.found
    )
    return Relaxations(
        person=explanation.person,
        relaxations=relaxations,
        undecided=tuple(hunt.named(some) for some in unsettled),
        considered=tuple(one.restriction for one in relaxable),
        fixed=tuple(feature.name for feature in problem.features if feature.fixed),
        complete=not unsettled and hunt.is_trusted,
        objectives=problem.objective_names,
        dtypes=problem.dtype_names,
        categories=problem.categories,
        _kind=rows.kind,
        elapsed=hunt.elapsed,
    )


def _explain_on_own_grid(
    problems: Problems, trust: Trust, problem: Problem, rows: EncodedRows, limits: SearchLimits
) -> tuple[Explanation, int]:
    """Explain one row without trying the finest grid, and return the explanation and the work done."""
    problem = reaching(problems.known.compiled, problem, rows.values)
    verified = explain_batch(problem, rows.values, limits, finest=False)
    explanation = build_explanation(problem, rows, 0, trust.judge([verified])[0], 0)
    return explanation, int(verified.outcomes.work[0])


def _seek_if_trusted(
    problems: Problems, trust: Trust, problem: Problem, rows: EncodedRows, limits: SearchLimits
) -> AnyOption:
    """Search for any option, unless the model has contradicted its scores: then they prove nothing."""
    if not trust.holds:
        return NOT_KNOWN
    return seek_any_option(problems.known.compiled, problem, rows.values, limits)


class _Hunt:
    """Solves the problem without some restrictions, and remembers the results."""

    def __init__(
        self,
        problem: Problem,
        rows: EncodedRows,
        restrictions: tuple[Relaxable, ...],
        relaxed: RelaxedProblems,
        explain: ExplainRow,
        seek: SeekAny,
        time_limit: float | None,
    ) -> None:
        self.odd: Set = frozenset(i for i, one in enumerate(restrictions) if one.is_odd)
        self.plain: Set = frozenset(range(len(restrictions))) - self.odd
        self.explained: dict[Set, Explanation] = {}
        self.is_trusted = True
        self._problem, self._rows, self._restrictions = problem, rows, restrictions
        self._relaxed, self._explain, self._seek = relaxed, explain, seek
        self._limit, self._begin = time_limit, time.perf_counter()
        self._open: list[Set] = []  # sets with an option, which the model may not have verified
        self._shut: list[Set] = []
        self._room = WIDENING_WORK  # what is left of it for the set that was decided last

    @property
    def elapsed(self) -> float:
        return time.perf_counter() - self._begin

    def is_over(self) -> bool:
        """Return whether the time is up."""
        return self._limit is not None and self.elapsed >= self._limit

    def opens(self, lifted: Set, again: bool) -> bool | None:
        """Return whether there is a counterfactual without these restrictions; None if it is not known."""
        some = self._effective(lifted)
        if not some or self._is_part_of(some, self._shut):
            return False
        if some in self.explained and self.explained[some].status is not Status.TIME_LIMIT:
            return None  # more time would not help
        share = 1.0 if again else 0.5
        quick = self._look(some, self._left(share))
        if quick.exists is False:
            self._make_room(quick.work)
            return False
        found, work = self._solve(some, self._left(share))
        self._make_room(work)
        self.explained[some] = found
        return _has_option(found)

    def stays_shut(self, lifted: Set) -> bool:
        """Prove with little work that there is no counterfactual. Return False if that takes more work."""
        some = self._effective(lifted)
        if not some or self._is_part_of(some, self._shut):
            return True
        if any(self._is_part_of(part, [some]) for part in self._open) or self.is_over():
            return False
        most_work = self._room // SEARCH_SHARE
        quick = self._look(some, self._left(0.125), most_work)
        exists, work = quick.exists, quick.work
        if quick is NOT_KNOWN:  # otherwise, another search would reach the same limit
            found, work = self._solve(some, self._left(0.125), most_work, stops=True)
            exists = _has_option(found)
        if exists is None:
            self._room -= work
        return exists is False

    def _make_room(self, work: int) -> None:
        """Set the limit for widening a set, by the work that the set itself took."""
        self._room = max(WIDENING_WORK, WIDENING_SHARE * work)

    def check_start(self) -> None:
        """Reject an explanation whose proof does not hold here, unless that is known or the time is up."""
        if self.is_over() or any(not some & self.odd for some in self._shut):
            return
        if len(self._solve(frozenset(), self._left(1.0), stops=True)[0]):
            raise another_problem("here the person has options")

    def named(self, some: Set) -> tuple[Restriction, ...]:
        """Return the restrictions of a set; of several that build on each other, only the last one."""
        return tuple(one.restriction for one in self._last(some))

    def _last(self, some: Set) -> list[Relaxable]:
        chosen = [self._restrictions[i] for i in sorted(some)]
        return [one for one in chosen if not any(other.needs is one for other in chosen)]

    def with_needs(self, some: Set) -> Set:
        """Add the restrictions that those of a set build on."""
        needed = [one.needs for one in self._last(some)]
        missing = {i for i, one in enumerate(self._restrictions) if one in needed} - some
        return self.with_needs(some | missing) if missing else some

    def _effective(self, some: Set) -> Set:
        """Leave out restrictions that have no effect without another one that is not in the set."""
        chosen = {self._restrictions[i] for i in some}
        kept = frozenset(i for i in some if (needs := self._restrictions[i].needs) is None or needs in chosen)
        return kept if kept == some else self._effective(kept)

    def _is_part_of(self, some: Set, others: list[Set]) -> bool:
        """Return whether another set, with the same odd restrictions, has all counterfactuals of this one."""
        return any(some <= other and some & self.odd == other & self.odd for other in others)

    def _left(self, share: float) -> float | None:
        return None if self._limit is None else max(0.0, share * (self._limit - self.elapsed))

    def _look(self, some: Set, seconds: float | None, most_work: int | None = None) -> AnyOption:
        """Search for any option without some restrictions. The model need not verify that there is none."""
        quick = self._seek(self._without(some), self._rows, SearchLimits(seconds, most_work))
        if quick.exists is False:
            self._shut.append(some)
        elif quick.row is not None:
            self._open.append(self._needed(some, quick.row))
        return quick

    def _without(self, some: Set) -> Problem:
        return self._relaxed.of(self._problem, [self._restrictions[i] for i in sorted(some)])

    def _needed(self, some: Set, row: FloatArray) -> Set:
        """Leave out restrictions that a row keeps. It is then an option without the others, too.

        Nothing is proven by it: it only says which sets need not be tried.
        """
        problem, before = self._problem, self._rows.values[0]
        changed = {problem.names[column] for column in np.flatnonzero(row != before).tolist()}
        for rule in problem.policy.rules:
            if isinstance(rule, Linked | OneHot) and not changed.isdisjoint(rule.columns):
                changed |= {*rule.columns}  # their values depend on each other
        kept = [
            rule.data
            for rule in problem.rules
            if not rule.is_predicate and rule.holds(problem.names, before[None, :], row[None, :])[0]
        ]

        def may_matter(one: Relaxable) -> bool:
            restriction = one.restriction
            if one.is_odd:
                return True
            if restriction.instead is not None:
                return len(changed) >= restriction.instead
            if restriction.rule is not None:
                return restriction.rule not in kept
            return not restriction.feature or restriction.feature in changed

        return frozenset(i for i in some if may_matter(self._restrictions[i]))

    def _solve(
        self, some: Set, seconds: float | None, most_work: int | None = None, *, stops: bool = False
    ) -> tuple[Explanation, int]:
        """Solve without some restrictions, completely or up to the first counterfactual."""
        limits = SearchLimits(seconds, most_work, _until_found if stops else None)
        found, work = self._explain(self._without(some), self._rows, limits)
        if found.certificate is not None and found.certificate.unproven_because == "contradiction":
            self.is_trusted = False  # nor does anything that seemed proven before
        if len(found):
            row = encode_row(found[0].values, self._problem.codebook).values[0]
            self._open.append(self._needed(some, row))
        elif found.status is Status.NO_RECOURSE:
            self._shut.append(some)
        return found, work


def _has_option(found: Explanation) -> bool | None:
    return True if len(found) else False if found.status is Status.NO_RECOURSE else None


def _until_found(news: Progress) -> bool:
    return news.found == 0
