"""Define what is near an option, for `Explainer.more`."""

import math
from dataclasses import dataclass

from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument
from p2ce.result.counterfactual import Counterfactual


@dataclass(frozen=True, slots=True)
class Near:
    """An option and all similar ones: in every column, the value is close to the option's.

    A number is close if it is at most ``within`` units away. The unit is that of "mean_distance", about a
    standard deviation of the column in the reference. A category, or a missing value, has to be the same.

    Args:
        option: An option of an explanation.
        within: The largest difference, in units. It must be greater than 0.
    """

    option: Counterfactual
    within: float

    def __post_init__(self) -> None:
        """Check the two arguments."""
        if not isinstance(self.option, Counterfactual):
            raise InvalidArgument(
                f"Near() expects an option of an explanation, got {echoed(self.option)}. "
                "Write p2ce.Near(explanation[0], within=0.5)."
            )
        is_number = isinstance(self.within, int | float) and not isinstance(self.within, bool)
        if not is_number or not math.isfinite(self.within) or self.within <= 0:
            raise InvalidArgument(
                f"Near() expects within= as a number of units above 0, got {echoed(self.within)}. "
                "To leave out one option exactly, pass the option itself."
            )
