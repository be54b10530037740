"""Parse --points, the scale of a scorecard."""

from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument
from p2ce.result.points import Points

WANTED = "the points, the odds of good to bad at which they hold, and the points that double the odds"


def read_points(given: str | None) -> Points | None:
    """Read ``base,odds,pdo``.

    >>> read_points("600,50,20")
    Points(base=600.0, odds=50.0, pdo=20.0, round=0)
    """
    if given is None:
        return None
    try:
        base, odds, pdo = map(float, given.split(","))
    except ValueError:
        raise InvalidArgument(
            f"--points expects three numbers, {WANTED}; got {echoed(given)}. Write --points 600,50,20"
        ) from None
    try:
        return Points(base=base, odds=odds, pdo=pdo)
    except InvalidArgument as error:
        raise InvalidArgument(
            f"--points {echoed(given)} is not a scale: {error} Write --points 600,50,20"
        ) from None
