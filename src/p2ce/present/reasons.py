"""Choose the options that stand out, and say what each is best at."""

from collections.abc import Iterable
from dataclasses import replace

from p2ce.present.wording import Wording
from p2ce.result import Explanation, Pick
from p2ce.result.picks import BALANCED, ONLY, scaled_costs

PICKS = 3  # options that stand out; more are no help to choose


def picked(explanation: Explanation, count: int = PICKS) -> tuple[Pick, ...]:
    """Choose a few options with their reasons."""
    picks = explanation.pick(count)
    alike = len(explanation) > 1 and not scaled_costs(explanation).any()
    # Of options that all cost the same, none is balanced or unlike the others.
    return tuple(replace(one, reasons=(ONLY,)) for one in picks) if alike else picks


def best_text(reasons: Iterable[str], wording: Wording) -> str:
    """Join what an option is best at; "balanced" is said only of one that is best at nothing else."""
    named = [reason for reason in reasons if reason != ONLY]
    if len(named) > 1:
        named = [reason for reason in named if reason != BALANCED]
    return wording.listed([wording.best_at(reason) for reason in named])
