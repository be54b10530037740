"""Score rows with the user's model, called as any user would call it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from p2ce.portfolio.evidence.independent.stated_policy import GAP, StatedPolicy, Unchecked


@dataclass
class StatedModel:
    """A model, and the target that an explanation states."""

    policy: StatedPolicy
    given: dict[str, Any]  # the explanation
    model: Any  # has predict_proba, decision_function or predict, or is a function of a frame

    def __call__(self, rows: Any) -> tuple[Any, Any]:
        """Return the model's outputs for rows (n, d) of codes, and which rows it accepts."""
        scale, target, margin = self.given["scale"], self.given["target"], self.given["margin"]
        models = self.model if isinstance(self.model, list | tuple) else [self.model]
        if scale == "lead" and len(models) > 1:
            raise Unchecked("several models have different thresholds")
        if not len(rows):
            return np.empty(0), np.empty(0, dtype=bool)
        frame = self.frame(rows)
        outputs = [self._output(model, frame) for model in models]
        if scale != "lead":
            scores = [self._of_target(model, one) for model, one in zip(models, outputs, strict=True)]
            if self.given["at_most"] is not None:
                score = np.max(scores, axis=0)
                return score, score <= self.given["at_most"]
            score = np.min(scores, axis=0)
            return score, score >= self.given["at_least"]
        (model,), (output,) = models, outputs
        if isinstance(target, list):
            low, high = (
                end if end is not None else sign * np.inf for end, sign in zip(target, (-1, 1), strict=True)
            )
            return output, (output >= low + margin) & (output <= high - margin)
        if isinstance(target, dict):
            places = [list(model.classes_).index(one) for one in target["any_of"]]
            best, others = output[:, places].max(axis=1), np.delete(output, places, axis=1).max(axis=1)
            return output[:, places].sum(axis=1), best - others >= margin
        wanted = self._of_target(model, output)
        others = np.delete(output, self._place(model), axis=1).max(axis=1)
        return wanted, wanted - others >= margin

    def other_goal(self, settings: dict[str, Any]) -> list[str]:
        """Compare target and limit with those of the explainer, where None is the default."""
        target, at_least, at_most = (settings[name] for name in ("target", "at_least", "at_most"))
        own, scale = self.given["target"], self.given["scale"]
        if target is None:
            models = self.model if isinstance(self.model, list | tuple) else [self.model]
            right = self._place(models[0]) == 1
        elif isinstance(own, dict):
            right = isinstance(target, list) and sorted(own["any_of"]) == sorted(target)
        else:
            right = own == (target.get("tuple", target) if isinstance(target, dict) else target)
        if not right:
            return ["another target"]
        if scale == "lead" or isinstance(at_least, list) or isinstance(at_most, list):
            return []
        if at_most is not None or self.given["at_most"] is not None:
            if at_most is None or self.given["at_most"] is None:
                return ["another limit"]
            right = np.isclose(self.given["at_most"] + self.given["margin"], at_most)
            return [] if right else ["another limit"]
        bare = self.given["at_least"] - self.given["margin"]
        if at_least is None and not np.isclose(bare, 0.5 if scale == "probability" else 0.0):
            raise Unchecked("neither the explainer's at_least nor the default; it may be the model's own")
        return [] if at_least is None or np.isclose(bare, at_least) else ["another threshold"]

    def _output(self, model: Any, frame: pd.DataFrame) -> Any:
        is_range, decides = isinstance(self.given["target"], list), self.given["scale"] == "decision"
        call = getattr(model, "decision_function" if decides else "predict_proba", None)
        call = getattr(model, "predict", model) if call is None or is_range else call
        unnamed = hasattr(model, "n_features_in_") and not hasattr(model, "feature_names_in_")
        return np.asarray(call(frame.to_numpy() if unnamed else frame), dtype=float)

    def _place(self, model: Any) -> int:
        return list(getattr(model, "classes_", (0, 1))).index(self.given["target"])

    def _of_target(self, model: Any, output: Any) -> Any:
        """Return the scores of the target class, or the sum of those of several.

        A single column of scores is for the second class.
        """
        if isinstance(self.given["target"], dict):
            wanted = sorted(list(model.classes_).index(one) for one in self.given["target"]["any_of"])
            return np.minimum(output[:, wanted].sum(axis=1), 1.0)
        if output.ndim == 2:
            return output[:, self._place(model)]
        if self._place(model) == 1:
            return output
        return 1 - output if self.given["scale"] == "probability" else -output

    def frame(self, rows: Any) -> pd.DataFrame:
        """Return rows as a frame in the types of the user's table."""
        columns, given = {}, self.given
        for name, codes in zip(self.policy.names, rows.T, strict=True):
            gaps, dtype, own = codes == GAP, given["dtypes"][name].partition("[")[0], given["person"][name]
            cells: Any = np.where(gaps, np.nan, codes)
            if self.policy.is_date(name):
                columns[name] = pd.Series([own] * len(codes), dtype=given["dtypes"][name])
                continue
            if name in self.policy.labels:
                labels = np.array([*self.policy.labels[name], own, None], dtype=object)
                cells = labels[np.where(gaps, len(labels) - 1, codes).astype(int)]
            elif gaps.any() and dtype[0] in "biu":
                dtype = "float64"
            if name in given["categories"]:
                known = given["categories"][name]
                unseen = [own] if own == own and own not in (None, *known["labels"]) else []
                dtype = pd.CategoricalDtype([*known["labels"], *unseen], known["ordered"])
            columns[name] = pd.Series(cells).astype(dtype)
        return pd.DataFrame(columns)
