"""Check that an explanation belongs to this problem."""

import math
from collections.abc import Iterator
from typing import Any

from p2ce.base.arrays import FloatArray
from p2ce.compile.arguments import UNCHANGED, Unchanged
from p2ce.compile.batch import totals_of
from p2ce.compile.compiled_problem import Problem
from p2ce.compile.fingerprint import has_model_fingerprint
from p2ce.compile.lay_out import for_instance, with_codebook
from p2ce.compile.within_reach import shaped_for
from p2ce.errors import InvalidArgument
from p2ce.objectives.objective import reported
from p2ce.result.certificate import Status
from p2ce.result.explanation import Explanation
from p2ce.result.target import is_strict, shown_end
from p2ce.tables.encode import encode_row
from p2ce.tables.json_values import to_plain


def limit_explained(explanation: object, *, call: str) -> int | Unchanged | None:
    """Return the limit of changes of an explanation. Reject anything without a result."""
    if not isinstance(explanation, Explanation):
        raise InvalidArgument(
            f"{call}() needs what explain() returned, got {type(explanation).__name__}. "
            f"Pass the Explanation of the person."
        )
    if explanation.status is Status.ERROR:
        raise InvalidArgument(
            f"{call}() needs an explanation, but this row could not be explained: {explanation.message}"
        )
    return UNCHANGED if explanation.certificate is None else explanation.certificate.max_changes


def require_same_model(problem: Problem, reference: FloatArray, explanation: Explanation) -> None:
    """Reject an explanation of another model, reference or setting: anything that a call cannot override.

    ``reference`` (n, d) is encoded.
    """
    for how in _differences(problem, reference, explanation):
        raise another_problem(how)


def require_same_problem(problem: Problem, explanation: Explanation) -> None:
    """Reject an explanation with other objectives, costs or another policy than this problem's."""
    for how in _other_terms(problem, explanation):
        raise another_problem(how)


def another_problem(how: str) -> InvalidArgument:
    """Return the error for an explanation of another problem. It says how the problems differ."""
    return InvalidArgument(
        f"The explanation belongs to another problem than this explainer's: {how}. Use the explainer "
        "that made it."
    )


def _differences(problem: Problem, reference: FloatArray, explanation: Explanation) -> Iterator[str]:
    """Describe how the problems differ, the most obvious differences first."""
    if explanation.dtypes != problem.dtype_names:
        yield "its columns differ"
    for name, then, now in _facts(problem, explanation):
        if then != now:
            yield f"{name} was {_text(then)}, and is {_text(now)}"
    if explanation.problem is not None:
        known, here = explanation.problem.hashes, problem.record.hashes
        if known.get("reference", here.get("reference")) != here.get("reference"):
            yield "its reference differs"
        # Models are compared by their scores of the reference. Those of one person would say too little.
        model = known.get("model", here["model"])
        # Scores that do not repeat identify no model.
        repeats = not problem.score_tolerance
        if repeats and model != here["model"] and not has_model_fingerprint(problem, reference, model):
            yield "its model differs"


def _other_terms(problem: Problem, explanation: Explanation) -> Iterator[str]:
    if explanation.objectives != problem.objective_names:
        then, now = _text(explanation.objectives), _text(problem.objective_names)
        yield f"objectives was {then}, and is {now}"
    if explanation.problem is not None:
        then, now = (record.hashes.get("policy") for record in (explanation.problem, problem.record))
        if then is not None and then != now:
            yield "its policy differs"
    yield from _other_costs(problem, explanation)


def _facts(problem: Problem, explanation: Explanation) -> Iterator[tuple[str, Any, Any]]:
    yield "target", to_plain(explanation.target), to_plain(problem.target)
    yield "margin", explanation.margin, problem.margin  # which the threshold already includes
    yield "at_least", explanation.at_least, problem.at_least
    yield "at_most", explanation.at_most, problem.at_most
    yield "scale", explanation.scale, problem.scale
    yield "models", explanation.models, len(problem.models)
    if (certificate := explanation.certificate) is None:
        return
    yield "method", certificate.method, problem.method_name
    yield (
        "detector",
        certificate.detector_family,
        None if problem.required_detector is None else problem.required_detector.family,
    )
    if problem.required_detector is not None and explanation.problem is not None:
        # They determine how a detector is fitted here, and what it admits.
        for name in ("contamination", "random_state", "plausibility_of_today"):
            yield name, explanation.problem.settings.get(name), problem.record.settings.get(name)


def _other_costs(problem: Problem, explanation: Explanation) -> Iterator[str]:
    """Price the counterfactuals again: objectives with the same name may have other units or weights."""
    if not len(explanation):
        return
    row = encode_row(explanation.person, problem.codebook)
    problem, instance = with_codebook(problem, row.codebook), row.values[0]
    # Which features move together, and are priced together, depends on the instance.
    own = problem if shaped_for(problem, instance[None, :]).all() else for_instance(problem, instance)
    for option in explanation:
        totals = totals_of(own, instance, encode_row(option.values, problem.codebook).values[0])
        costs = reported(own.objectives, totals[None])[0]
        for name, now in zip(problem.objective_names, costs.tolist(), strict=True):
            then = option.costs[name]
            if not math.isclose(then, now, rel_tol=1e-6, abs_tol=1e-9):
                yield f"{name} of an option was {then:g}, and is {now:g}"


def _text(fact: Any) -> Any:
    if isinstance(fact, float):
        return f"more than {shown_end(fact)}" if is_strict(fact) else fact
    return "none" if fact is None else ", ".join(map(str, fact)) if isinstance(fact, tuple) else fact
