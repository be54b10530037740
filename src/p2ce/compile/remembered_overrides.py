"""Remember what calls overrode, by the record that their explanations state."""

import threading
from functools import partial
from typing import Any

from p2ce.compile.describe_problem import has_file_form
from p2ce.compile.override import OBJECTIVES, Override
from p2ce.errors import InvalidArgument
from p2ce.objectives import Objective
from p2ce.objectives.objective_names import is_data, same_objectives
from p2ce.policy.policy import Policy
from p2ce.result.problem_record import ProblemRecord

MOST_REMEMBERED = 32  # policies and objectives; if there are more, the oldest are forgotten


class RememberedOverrides:
    """The last overrides of an explainer, the newest last; threads may share them."""

    def __init__(self, overrides: tuple[Override, ...] = (), *, forgot_functions: bool = False) -> None:
        self._overrides = overrides
        self._forgot_functions = forgot_functions  # some of the forgotten ones held functions of the caller
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._overrides)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(RememberedOverrides, forgot_functions=self._forgot_functions), (self._overrides,)

    def of_call(self, policy: Policy | None, objectives: tuple[Objective, ...] | None) -> Override | None:
        """Return the override of a call with this same policy object and these objectives."""
        for one in reversed(self._overrides):
            if one.given is policy and _same(one.objectives, objectives):
                return one
        return None

    def add(self, override: Override) -> Override:
        """Remember an override, or return an equal one."""
        with self._lock:
            alike = (one for one in self._overrides if _key(one.record) == _key(override.record))
            kept = next((one for one in alike if _agree(one, override)), override)
            known = [*(one for one in self._overrides if one is not kept), kept]
            forgotten, remembered = known[:-MOST_REMEMBERED], known[-MOST_REMEMBERED:]
            self._forgot_functions |= any(map(_holds_functions, forgotten))
            self._overrides = tuple(remembered)
        return kept

    def of_record(self, record: ProblemRecord, own: Override) -> Override | None:
        """Return the override, or the explainer's ``own`` problem, of an explanation; None if forgotten.

        Explanations in memory share the record itself. Others are found by what it states, which does not
        distinguish two Python functions of one name.
        """
        known = (own, *self._overrides)
        alike = [one for one in known if one.record is record]
        by_text = not alike
        alike = alike or [one for one in known if _key(one.record) == _key(record)]
        if any(not _agree(alike[0], one) for one in alike[1:]) or (
            alike and by_text and self._forgot_functions and _holds_functions(alike[0])
        ):
            raise InvalidArgument(
                "The explanation could belong to several policies or objectives of this explainer, which "
                "differ only in Python functions. Explain the person again, and pass that explanation."
            )
        return alike[0] if alike else None


def _key(record: ProblemRecord) -> tuple[object, object]:
    return record.hashes.get("policy"), record.settings.get(OBJECTIVES)


def _holds_functions(override: Override) -> bool:
    """Return whether an override holds functions of the caller, which texts do not distinguish."""
    return not (has_file_form(override.record) and all(map(is_data, override.objectives or ())))


def _agree(one: Override, other: Override) -> bool:
    return one.policy == other.policy and _same(one.objectives, other.objectives)


def _same(some: tuple[Objective, ...] | None, others: tuple[Objective, ...] | None) -> bool:
    return some is others or (some is not None and others is not None and same_objectives(some, others))
