"""The problems of an explainer: its own and those of its calls, each compiled and calibrated once."""

import threading
import time
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from p2ce.base.arrays import FloatArray
from p2ce.base.calls.budget import LimitReached, charged_to, current_budget, no_calls
from p2ce.base.calls.model_call import no_calls_after
from p2ce.compile.archive import read_objectives, stated_objectives
from p2ce.compile.arguments import UNCHANGED, Arguments, Unchanged, check_limit
from p2ce.compile.compile_arguments import Compiled
from p2ce.compile.compiled_problem import Problem
from p2ce.compile.lay_out import for_instance, with_limit
from p2ce.compile.override import (
    OBJECTIVES,
    Override,
    compile_override,
    no_override,
    overridden,
    same_wanted,
    stated_policy,
)
from p2ce.compile.within_reach import shaped_for
from p2ce.engine.kernels.kernel_cache import cache_use
from p2ce.errors import InvalidArgument, P2CEError
from p2ce.models.estimates.native import Parsed, parsed_of
from p2ce.objectives.objective_names import Objectives, resolve, same_objectives
from p2ce.policy.policy import Policy
from p2ce.result.explanation import Explanation
from p2ce.result.problem_record import ProblemRecord
from p2ce.run.analysis.same_problem import limit_explained, require_same_model, require_same_problem
from p2ce.run.compile_kernels import compile_kernels, is_ready, preparing_text, warn_if_slow
from p2ce.run.estimation.evaluation_budget import fits_into, with_needed_estimate
from p2ce.run.time_limits import LimitClock

# The newest are remembered: what calls overrode, and the problems of calls, which take more memory.
MOST_OVERRIDES, MOST_PROBLEMS = 32, 8


class ProblemEntry(NamedTuple):
    """The problem of a policy, objectives and a limit of changes."""

    override: Override
    compiled: Problem
    problem: Problem  # the same, with its estimate once it is calibrated
    is_prepared: bool  # calibrated, or known to need no estimate

    def is_of(self, problem: Problem) -> bool:
        """Return whether this is the entry of a problem."""
        return problem is self.problem or problem is self.compiled


def new_entry(override: Override, problem: Problem) -> ProblemEntry:
    """Return the entry of a problem that is not prepared."""
    return ProblemEntry(override, problem, problem, is_prepared=False)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Known:
    """Everything that an explainer knows of its problems. It is replaced as a whole."""

    arguments: Arguments
    compiled: Compiled
    own: ProblemEntry
    others: tuple[ProblemEntry, ...] = ()  # of calls, the newest last
    overrides: tuple[Override, ...] = ()  # of calls, the newest last
    forgot_functions: bool = False  # some of the forgotten overrides held functions of the caller

    def entry(self, override: Override, limit: int | None) -> ProblemEntry | None:
        """Return the entry of an override and a limit of changes; None if there is none."""
        of_it = (one for one in (self.own, *self.others) if one.override is override)
        return next((one for one in of_it if one.problem.max_changes == limit), None)

    def entry_of(self, problem: Problem) -> ProblemEntry | None:
        """Return the entry of a problem; None if it is forgotten, or was never one of them."""
        return next((one for one in (self.own, *self.others) if one.is_of(problem)), None)

    def with_entry(self, entry: ProblemEntry) -> "Known":
        """Remember the problem of a call as the newest one, or replace the own one."""
        if entry.compiled is self.own.compiled:
            return replace(self, own=entry)
        others = [one for one in self.others if one.compiled is not entry.compiled]
        return replace(self, others=(*others, entry)[-MOST_PROBLEMS:])

    def with_override(self, override: Override) -> "Known":
        """Remember an override as the newest one."""
        known = (*(one for one in self.overrides if one is not override), override)
        forgot = any(one.holds_functions for one in known[:-MOST_OVERRIDES])
        return replace(
            self,
            overrides=known[-MOST_OVERRIDES:],
            forgot_functions=self.forgot_functions or forgot,
        )


def known_at_first(arguments: Arguments, compiled: Compiled) -> Known:
    """Return what a new explainer knows: its own problem."""
    own = new_entry(no_override(compiled.problem), compiled.problem)
    return Known(arguments=arguments, compiled=compiled, own=own)


class Problems:
    """Compiles and calibrates the problems of an explainer. Threads may share it."""

    def __init__(self, known: Known) -> None:
        self.known = known  # replaced as a whole
        self._replacing = threading.Lock()
        self._preparing = threading.Lock()  # held while an estimate is calibrated, or kernels are compiled
        self._is_loaded = False  # the kernels, in this process

    def __reduce__(self) -> tuple[Any, ...]:
        return Problems, (replace(self.known, others=()),)

    @property
    def own(self) -> Problem:
        """The explainer's own problem, with its estimate once it is calibrated."""
        return self.known.own.problem

    def replace_own(self, problem: Problem) -> None:
        """Let the explainer solve another problem, and forget those of calls."""
        with self._replacing:
            known = self.known
            own = new_entry(no_override(problem), problem)
            self.known = Known(arguments=known.arguments, compiled=known.compiled, own=own)

    def of_call(
        self,
        policy: Policy | None = None,
        max_changes: int | Unchanged | None = UNCHANGED,
        objectives: Objectives | None = None,
    ) -> Problem:
        """Compile the problem of a call, with the settings that the call overrides."""
        if policy is None and objectives is None and max_changes is UNCHANGED:
            return self.known.own.problem
        return self._limited(self._override(policy, objectives), max_changes)

    def of_explanation(self, explanation: Explanation, *, call: str) -> Problem:
        """Compile the problem of an explanation, and reject one of another explainer."""
        limit = limit_explained(explanation, call=call)
        require_same_model(self.own, self.known.compiled.values, explanation)
        problem = self._limited(self._override_stated(explanation.problem), limit)
        require_same_problem(problem, explanation)
        return problem

    def _limited(self, override: Override, max_changes: int | Unchanged | None) -> Problem:
        """Return the problem of an override and a limit of changes: remembered, or compiled."""
        own = self.known.own
        limit = own.problem.max_changes if max_changes is UNCHANGED else max_changes
        check_limit(limit)
        entry = self.known.entry(override, limit)
        if entry is None and override is own.override:
            entry = new_entry(override, with_limit(own.problem, limit))
        elif entry is None:
            entry = new_entry(override, overridden(own.problem, override, limit))
        with self._replacing:
            entry = self.known.entry(override, limit) or entry  # another thread may have been faster
            self.known = self.known.with_entry(entry)
        return entry.problem

    def _override(self, policy: Policy | None, objectives: Objectives | None) -> Override:
        """Compile another policy and other objectives, and remember them."""
        known = self.known
        own = known.own.override
        if policy is own.policy or policy is known.arguments.policy:
            policy = None
        wanted = None if objectives is None else resolve(objectives)
        if wanted is not None and same_objectives(wanted, own.parsed.wanted):
            wanted = None
        if policy is None and wanted is None:
            return own
        for one in reversed(known.overrides):
            if one.given is policy and same_wanted(one.objectives, wanted):
                return one
        override = compile_override(
            known.compiled,
            known.own.problem,
            policy=policy,
            objectives=wanted,
            stated=None if wanted is None else stated_objectives(wanted),
        )
        with self._replacing:
            alike = (one for one in self.known.overrides if one.is_stated_by(override.record))
            override = next((one for one in alike if one.agrees(override)), override)
            self.known = self.known.with_override(override)
        return override

    def _override_stated(self, record: ProblemRecord | None) -> Override:
        """Compile the override that an explanation states: remembered, or read from its record."""
        known = self.known
        own = known.own.override
        if record is None or not record.policy:
            raise InvalidArgument(
                "The explanation does not state its problem, so its policy is not known. Pass one that "
                "explain() returned, or that was written with to_dict(problem=True)."
            )
        # Explanations in memory share the record itself. Others are found by what it states, which does not
        # distinguish two Python functions of one name.
        every = (own, *known.overrides)
        found = [one for one in every if one.record is record]
        by_text = not found
        found = found or [one for one in every if one.is_stated_by(record)]
        if any(not found[0].agrees(one) for one in found[1:]) or (
            found and by_text and known.forgot_functions and found[0].holds_functions
        ):
            raise InvalidArgument(
                "The explanation could belong to several policies or objectives of this explainer, which "
                "differ only in Python functions. Explain the person again, and pass that explanation."
            )
        if found:
            return found[0]
        stated = record.settings.get(OBJECTIVES)
        same_policy = record.hashes.get("policy") == own.record.hashes["policy"]
        return self._override(
            None if same_policy else stated_policy(record),
            None if stated is None else read_objectives(stated),
        )

    def for_first_row(self, problem: Problem) -> tuple[Problem, FloatArray]:
        """Return a problem that is valid for the first row of the reference, and that row (1, d)."""
        row = self.known.compiled.values[:1]
        return (problem if shaped_for(problem, row).all() else for_instance(problem, row[0])), row

    def load_kernels(self, problem: Problem) -> None:
        """Compile the kernels, before any clock runs."""
        if self._is_loaded and self.known.own.is_of(problem):
            return
        with self._preparing:
            if problem.method is None and not is_ready(problem):
                limited = nullcontext() if current_budget() is None else charged_to(no_calls())
                with warn_if_slow(partial(preparing_text, cache_use())), limited:
                    compile_kernels(*self.for_first_row(problem))
            self._is_loaded = True

    def prepared(self, problem: Problem, clock: LimitClock) -> Problem:
        """Compile the kernels, and calibrate an estimate if one is needed and the time is enough for it.

        Compiling does not count as time.
        """
        own = self.known.own
        if problem is own.problem and own.is_prepared and self._is_loaded:
            return problem
        with clock.paused():
            self.load_kernels(problem)
        if (entry := self.known.entry_of(problem)) is not None and entry.is_prepared:
            return entry.problem
        with self._preparing:
            if (entry := self.known.entry_of(problem)) is not None and entry.is_prepared:
                return entry.problem  # prepared by another thread meanwhile
            seconds = clock.left()
            if not fits_into(problem, self.known.arguments, seconds):
                return problem  # the next call may have more time
            try:
                with no_calls_after(None if seconds is None else time.perf_counter() + seconds):
                    prepared = self._prepared(problem)
            except LimitReached:
                return problem
            if entry is not None:
                with self._replacing:
                    self.known = self.known.with_entry(entry._replace(problem=prepared, is_prepared=True))
            return prepared

    def _prepared(self, problem: Problem) -> Problem:
        """Calibrate the estimate of a problem if one is needed."""
        known = self.known
        if problem.estimate is not None or problem.attributions is not None:
            return problem
        if known.own.problem.attributions is not None:  # they are about columns, whatever may change
            return replace(problem, attributions=known.own.problem.attributions)
        prepared = with_needed_estimate(
            problem,
            known.arguments,
            parse=self._parsed,
            reference=known.compiled.values,
            rejected=known.compiled.rejected,
        )
        if prepared.method is not None:
            compile_kernels(*self.for_first_row(prepared))
        return prepared

    def _parsed(self) -> Parsed | None:
        """Parse the model even where it is a black box by choice: SHAP values then need no evaluations."""
        known = self.known.compiled
        try:
            models = known.parse_models(
                reference=known.reference.iloc[known.sample], nullable=self.own.nullable, black_box=False
            )
        except P2CEError:
            return None
        return parsed_of(models)
