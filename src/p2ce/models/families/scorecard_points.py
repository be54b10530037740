"""Parse the total of a scorecard's points: a sum of one number for each variable, and the base points."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from p2ce.base.calls.model_call import ModelCall, one_per_row
from p2ce.models.contract.margins import NumberOutput, ParsedModel
from p2ce.models.contract.weighted_sums import WeightedSums
from p2ce.models.decisions.adapter import Adapter, ParseRequest
from p2ce.models.decisions.certify import certify
from p2ce.models.decisions.row_format import row_format
from p2ce.models.families.sklearn.pipeline import parse_behind


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PointsTotal:
    """The user's own function of rows that returns the total points, and the points that everyone has."""

    family: str
    call: Any
    base_points: float


def parse_points(
    step: Any, total: PointsTotal, request: ParseRequest, *, columns: tuple[str, ...]
) -> Adapter:
    """Parse a total over ``step``, a transformer that returns the points of each variable."""
    rows = row_format(columns, request.reference, named=True)
    predict = ModelCall(name=f"model ({total.family})", method=total.call, rows=rows, check=one_per_row)

    def parse_total(_: Any, inner: ParseRequest) -> Adapter:
        names = tuple(str(name) for name in inner.reference.columns)
        return certify(
            ParsedModel(
                family=total.family,
                margins=WeightedSums(
                    columns=names,
                    weights=np.ones((1, len(names))),
                    intercepts=np.array([total.base_points]),
                    reach=inner.reach,
                ),
                outputs=NumberOutput(predict=predict, scored=(0, 1)),
            ),
            inner,
        )

    found = parse_behind(
        [step], total, replace(request, parse=parse_total), columns=columns, takes_table=True
    )
    return replace(found, family=total.family)
