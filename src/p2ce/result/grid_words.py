"""Say in a few English words which grid an explanation refers to, and in which steps it was searched."""

from typing import TYPE_CHECKING

from p2ce.result.certificate import FINEST, GIVEN
from p2ce.result.number_text import readable
from p2ce.result.status import Status

if TYPE_CHECKING:
    from p2ce.result.explanation import Explanation
    from p2ce.result.question import Feature, Question

MOST_NAMED = 6  # features whose steps are listed; the others are counted
SHORT = 6  # significant digits in which a step is written as it is
DIGITS = 4  # of a longer one
ADVISED = ("up", "down", "either")  # what only moves along has no steps of its own


def stepped_features(question: "Question | None") -> tuple["Feature", ...]:
    """Give the numbers that advice may change, and that have steps between their candidates."""
    features = () if question is None else question.features.values()
    return tuple(
        one
        for one in features
        if one.steps is not None and one.moves in ADVISED and one.kind in ("whole", "number")
    )


def displayed_step(step: float) -> float:
    """Round a step of many digits, such as one between two values of a continuous column.

    >>> displayed_step(1_000_000.0), displayed_step(0.25), displayed_step(0.0032145678901)
    (1000000.0, 0.25, 0.003215)
    """
    if float(step).is_integer() or float(f"{step:.{SHORT}g}") == step:
        return step
    return float(f"{step:.{DIGITS}g}")


def claims_none(explanation: "Explanation") -> bool:
    """Return whether an explanation states a proof that there is no option."""
    certificate, finished = (
        explanation.certificate,
        explanation.status in (Status.OPTIMAL, Status.NO_RECOURSE),
    )
    if certificate is None or not certificate.proven or not finished:
        return False
    return explanation.status is Status.NO_RECOURSE or not len(explanation)


def says_its_grid(explanation: "Explanation") -> bool:
    """Return whether an explanation must name its grid: there is no option, or none on the usual grid."""
    certificate = explanation.certificate
    return certificate is not None and (certificate.grid == FINEST or claims_none(explanation))


def grid_in_brief(explanation: "Explanation") -> str:
    """Name the grid and its steps in one line without a full stop; the explanation has a certificate."""
    certificate = explanation.certificate
    assert certificate is not None  # the caller saw to it
    steps = _steps(explanation.question)
    if certificate.grid == FINEST:
        text = "the finest that the data support, since the usual one held no option"
    else:
        text = "as given" if certificate.grid == GIVEN else "inferred from the data"
    if certificate.finest_open:
        text = f"{text}; the finest one was searched as well, but not to its end"
    # The steps come last, since a page cuts what is very long; they are those of the usual grid.
    usual = "the usual one: " if certificate.grid == FINEST else ""
    return f"{text} ({usual}{steps})" if steps else text


def _steps(question: "Question | None") -> str:
    features = stepped_features(question)
    text = [_steps_of(one) for one in features[:MOST_NAMED]]
    if len(features) > MOST_NAMED:
        text.append(f"{len(features) - MOST_NAMED} more")
    return ", ".join(text)


def _steps_of(feature: "Feature") -> str:
    assert feature.steps is not None
    least, most = (readable(displayed_step(step)) for step in feature.steps)
    return f"{feature.name} in steps of {least}" + (f" to {most}" if most != least else "")
