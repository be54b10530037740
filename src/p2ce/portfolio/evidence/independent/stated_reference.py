"""Read the reference population from an explainer's archive: its columns as codes, and its SHA-256."""

import hashlib
import io
import json
from functools import cached_property
from typing import Any

import numpy as np

from p2ce.portfolio.evidence.independent.stated_policy import GAP, Unchecked, parsed


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
