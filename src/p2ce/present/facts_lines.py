"""Describe in named lines how a model is supported, and which grid is searched. In English."""

from collections.abc import Iterator
from decimal import Decimal

from p2ce.present.rule_sentences import rules_text
from p2ce.present.wording import wording_for
from p2ce.result import ModelFacts
from p2ce.result.target import is_strict

BOUNDS = {
    "tree leaves": "parsed; proven by bounds from the leaves of its trees",
    "additive": "parsed; proven by bounds of its sum",
    "network": "parsed; proven by bounds of the network",
    "complete": "black box; proven by evaluating every combination that may matter",
    "none": "proven by cost alone",
}
OUTPUTS = {"probability": "probability", "decision": "decision value"}


def facts_lines(facts: ModelFacts) -> Iterator[tuple[str, str]]:
    """Return the name of each line, and its text."""
    yield "parsed as", facts.family
    yield "proof", BOUNDS.get(facts.bound, facts.bound)
    if facts.black_box_because:
        yield "because", facts.black_box_because
    yield "columns", f"{len(facts.columns)}"
    if facts.classes:
        yield "classes", ", ".join(map(str, facts.classes))
    yield "target", _target(facts)
    yield "objectives", ", ".join(facts.objectives)
    yield "grid", _grid(facts)
    yield "detector", "none: options may be implausible" if facts.detector is None else facts.detector
    for sentence in rules_text(facts.rules, wording_for(None)):
        yield "rule", sentence


def about(cells: int) -> str:
    """Write a number of combinations.

    >>> about(211_899), about(10**12)
    ('211,899', '1.0e+12')
    """
    return f"{cells:,}" if cells < 10**9 else f"{Decimal(cells):.1e}"


def _grid(facts: ModelFacts) -> str:
    features, most = len(facts.alternatives), facts.max_changes
    moving = f"{features} feature{'s' * (features != 1)} may change"
    limit = "any number of changes" if most is None else f"at most {most} change{'s' * (most != 1)}"
    return f"{moving}; about {about(facts.cells)} combinations with {limit}"


def _target(facts: ModelFacts) -> str:
    output = OUTPUTS.get(facts.scale)
    if output is None:
        return f"{facts.target}"
    least = "more than" if is_strict(facts.threshold) else "at least"
    return f"{output} of {facts.target} {least} {facts.threshold:g}"
