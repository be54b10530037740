"""Recompute costs and plausibility from the reference and the forest in an explainer's archive."""

import hashlib
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from p2ce.portfolio.evidence.independent.stated_policy import GAP, StatedPolicy, Unchecked, parsed

JOINED: dict[str, Callable[[Any, int], Any]] = {  # distances by column, number of numeric columns → cost
    "MeanDistance": lambda far, numbers: far.sum(axis=1) / numbers,
    "MaxDistance": lambda far, _: far.max(axis=1),
    "Euclidean": lambda far, _: np.sqrt((far**2).sum(axis=1)),
}
MOST_DEEP = 1_000  # splits on the way to a leaf


class StatedReference:
    """The columns of a reference, with the same codes as a policy's rows."""

    def __init__(self, parts: dict[str, bytes]) -> None:
        self.parts, self.table = parts, parsed(parts, "reference.json")
        labels = self.table["labels"]
        self.names = list(map(str, labels.get("texts") or labels.get("cells") or self._load("labels.values")))

    def numbers(self, name: str) -> Any:
        """Return the codes of a column of numbers."""
        place = self._place(name)
        if f"reference/{place}.values.npy" not in self.parts:
            raise Unchecked(f"{name} is a column of objects in the reference")
        values = self._load(f"{place}.values").astype(float)
        gaps = np.isnan(values)
        if f"reference/{place}.missing.npy" in self.parts:
            gaps |= self._load(f"{place}.missing")
        return np.where(gaps, GAP, np.where(np.isinf(values), np.nan, values))

    def labels(self, name: str) -> list[Any] | None:
        """Return the labels of a category column in the order of the codes; None for numbers."""
        place = self._place(name)
        return None if f"reference/{place}.values.npy" in self.parts else self._categories(place)[0]

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of names and values. Unordered labels count by name, if they occur."""
        digest = hashlib.sha256()
        for place, name in enumerate(self.names):
            listed: list[str] | None = None
            if (labels := self.labels(name)) is None:
                codes = self.numbers(name)
            else:
                listed, codes = [json.dumps(label) for label in labels], self._categories(place)[1]
                if self.table["columns"][place].get("ordered"):
                    listed = ["ordered", *listed]
                else:
                    used = np.unique(codes[codes != GAP]).astype(int)
                    texts = listed
                    listed = sorted(texts[one] for one in used)
                    rank = np.array([listed.index(text) if text in listed else -1 for text in texts] + [-1])
                    codes = np.where(codes == GAP, GAP, rank[np.where(codes == GAP, -1, codes).astype(int)])
            digest.update(json.dumps([name, len(codes), listed]).encode())
            digest.update((codes + 0.0).astype("<f8").tobytes())
        return digest.hexdigest()

    def _categories(self, place: int) -> tuple[list[Any], Any]:
        """Return the labels and codes of a column, the most frequent label first unless there is an order."""
        schema, codes = self.table["columns"][place], self._load(f"{place}.codes").astype(int)
        listed = schema.get("texts", schema.get("cells"))
        if listed is None:  # declared categories, in their own order
            own = schema["labels"]
            listed = own.get("texts", own.get("cells"))
            if listed is None:
                listed = self._load(f"{place}.labels.values").tolist()
            else:
                listed = [listed[one] for one in self._load(f"{place}.labels.codes")]
        kept = [at for at, label in enumerate(listed) if label is not None and label == label]
        if not all(isinstance(listed[at], str | int | float) for at in kept):
            raise Unchecked(f"{self.names[place]} contains other values than text and numbers")
        if "cells" in schema and not all(isinstance(listed[at], str) for at in kept):
            raise Unchecked(f"{self.names[place]} is a column of objects in the reference")
        counts = np.array([(codes == at).sum() for at in kept], dtype=int)
        order = np.arange(len(kept)) if schema.get("ordered") else np.argsort(-counts, kind="stable")
        rank = np.full(len(listed) + 1, GAP)  # the last entry is for -1, a missing value
        rank[np.array(kept, dtype=int)[order]] = np.arange(len(kept))
        return [listed[kept[at]] for at in order], rank[codes]

    def _place(self, name: str) -> int:
        if self.table["several"] or name not in self.names:
            raise Unchecked(f"{name} is not found in the reference by its name")
        return self.names.index(name)

    def _load(self, name: str) -> Any:
        return np.load(io.BytesIO(self.parts[f"reference/{name}.npy"]))


@dataclass
class StatedCosts:
    """Costs of rows (n, d) for the person of a policy, and their plausibility by the isolation forest."""

    policy: StatedPolicy
    parts: dict[str, bytes]  # of the archive
    own: str | None = None  # the objectives passed for this person, as text

    def __post_init__(self) -> None:
        self.head, self.reference = parsed(self.parts, "p2ce.json"), StatedReference(self.parts)
        self.objectives = self.head["settings"]["objectives"] if self.own is None else json.loads(self.own)

    def costs(self, rows: Any) -> Any:
        """Return the costs of rows in every objective: (n, objectives)."""
        return np.stack([self.cost(rows, objective) for objective in self.objectives], axis=1)

    def cost(self, rows: Any, objective: dict[str, Any]) -> Any:
        """Return the costs of rows in one objective."""
        kind, policy = objective.get("type"), self.policy
        if kind == "Changes":
            return policy.count(rows).astype(float)
        if kind not in JOINED:
            raise Unchecked("the costs of this objective are not recomputed")
        far = (rows != policy.before) * float(objective["category"])
        for place, name in enumerate(policy.names):
            apart = [GAP, *policy.features[name].get("special", [])]
            if name not in policy.labels and policy.before[place] not in apart:
                known = ~np.isin(rows[:, place], apart)
                unit = self._unit(name, objective["unit"], apart)
                far[known, place] = np.abs(rows[known, place] - policy.before[place]) / unit
        for rule in policy.rules:
            if rule["rule"] == "one_hot":  # one category with several columns
                group = policy.at(rule["columns"])
                switched = (rows != policy.before)[:, group].any(axis=1)
                far[:, group] = 0.0
                far[:, group[0]] = switched * float(objective["category"])
        dates = sum(map(policy.is_date, policy.names))
        return JOINED[kind](far, max(1, len(policy.names) - len(policy.labels) - dates))

    def _unit(self, name: str, unit: str, apart: list[float]) -> float:
        """Return the unit of a column: a standard deviation, without the tails if robust."""
        if unit == "own":
            return 1.0
        values = self.reference.numbers(name)
        values = values[~np.isnan(values) & ~np.isin(values, apart)]
        if not len(values) or np.ptp(values) == 0:
            return 1.0
        clipped = np.clip(values, *np.percentile(values, (1, 99)))
        two = np.isin(values, (values.min(), values.max())).all()
        return float((values if unit == "std" or two or np.ptp(clipped) == 0 else clipped).std())

    def plausibility(self, rows: Any) -> tuple[Any, Any]:
        """Walk the forest: return its decision values, and which rows are plausible enough.

        A row is plausible enough if it is plausible, or, if the plausibility of today counts, no less
        plausible than the person's own row.
        """
        settings = self.head["settings"]
        if settings["plausibility"] is None:
            return np.full(len(rows), np.nan), np.ones(len(rows), dtype=bool)
        values, depth, least = self._walked(rows)
        if settings.get("plausibility_of_today") == "counts" and settings["method"] == "exact":
            least = min(least, self._walked(self.policy.before[None])[1][0])
        return values, depth >= least

    def rules_of(self, values: Any, certificate: dict[str, Any]) -> tuple[Any, list[str]]:
        """Return the rule that admits rows with these decision values, and compare the person's own value."""
        rules = np.where(values >= 0, "plausible", "as plausible as today").astype(object)
        is_free = certificate.get("detector_family", "") is None
        rules[np.isnan(values) | is_free] = None
        if (today := certificate.get("plausibility_today")) is None:
            return rules, []
        (own,), _ = self.plausibility(self.policy.before[None])
        is_same = np.isclose(own, today, rtol=1e-5, atol=1e-5)
        return rules, [f"the person's own value is {own:.6g}"] * (not is_same)

    def _walked(self, rows: Any) -> tuple[Any, Any, Any]:
        """Walk the forest: return decision values, path lengths, and the least plausible path length."""
        if (forest := self.head["forest"]) is None:
            raise Unchecked("the detector is a custom one")
        feature, threshold, right, value = (
            self._load(f"forest/{name}") for name in ("feature", "threshold", "right", "value")
        )
        seen, depth = rows[:, self.policy.at(forest["columns"])], np.zeros(len(rows))
        for root in self._load("forest/root"):
            node = np.full(len(rows), root)
            for _ in range(MOST_DEEP):
                if (feature[node] < 0).all():
                    break
                left = seen[np.arange(len(rows)), feature[node]] <= threshold[node]
                node = np.where(feature[node] < 0, node, np.where(left, node + 1, right[node]))
            depth += value[node]
        share = depth / forest["whole_length"] if forest["whole_length"] else np.ones(len(rows))
        return -(2.0**-share) - forest["offset"], depth, forest["accept_from"]

    def _load(self, name: str) -> Any:
        return np.load(io.BytesIO(self.parts[f"{name}.npy"]))
