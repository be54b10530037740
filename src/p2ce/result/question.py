"""Hold the question behind an explanation: features, constraints, population, settings and versions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from p2ce.errors import InvalidActions, InvalidArgument
from p2ce.limits import DEFAULT, Limits
from p2ce.problem.display import Display
from p2ce.result.distribution import Distribution
from p2ce.result.plain import plain_values
from p2ce.result.untrusted_json import Entry, entry_of

FIXED, PROTECTED = "fixed", "protected"  # `moves` of features that no advice may change


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """What a reader has to know of one column of the model."""

    name: str
    kind: str = "number"  # "binary", "whole", "number" or "category"
    moves: str = "either"  # "up", "down", "either", "along" (with another feature only), FIXED or PROTECTED
    group: str = ""  # of 0/1 columns that are the levels of one category: what that is called
    candidates: str = ""  # the values that it may take, in words: "7: 1000–4000, every 500"
    steps: tuple[float, float] | None = (
        None  # the smallest and the largest between its candidates, of a number
    )
    display: Display = field(default_factory=Display)
    distribution: Distribution | None = None  # of the reference population

    @property
    def may_change(self) -> bool:
        """Whether advice may name it as something to change."""
        return self.moves not in (FIXED, PROTECTED)

    def to_dict(self) -> dict[str, Any]:
        """Give the same content as JSON-ready data."""
        return {
            "name": self.name,
            "kind": self.kind,
            "moves": self.moves,
            "group": self.group,
            "candidates": self.candidates,
            "steps": None if self.steps is None else list(self.steps),
            "display": self.display.to_dict(),
            "distribution": None if self.distribution is None else self.distribution.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, limits: Limits = DEFAULT) -> "Feature":
        """Undo `to_dict`."""
        return cls._read(entry_of(data, cls, limits))

    @classmethod
    def _read(cls, entry: Entry) -> "Feature":
        steps = entry.get("steps", None).optional(lambda one: [step.finite() for step in one.each()])
        if steps is not None and len(steps) != 2:
            raise entry["steps"].mismatch("the smallest and the largest step")
        return cls(
            name=entry["name"].text(),
            kind=entry["kind"].text(),
            moves=entry["moves"].text(),
            group=entry.get("group", "").text(),
            candidates=entry["candidates"].text(),
            steps=None if steps is None else (steps[0], steps[1]),
            display=_display(entry["display"]),
            distribution=entry["distribution"].optional(Distribution._read),
        )


def _display(entry: Entry) -> Display:
    try:
        return Display.from_dict(entry.data)
    except InvalidActions as error:
        raise InvalidArgument(f"{entry.who}: {entry.place}: {error}") from error


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Question:
    """The question, as far as readers have to know it; shared by all explanations of one explainer.

    It is no part of the result: two explanations are equal whatever the features are called.

    >>> question = Question(features={"Age": Feature(name="Age", kind="whole", moves="fixed")})
    >>> Question.from_dict(question.to_dict()).features["Age"].may_change
    False
    """

    features: dict[str, Feature] = field(default_factory=dict)  # by column, in the model's order
    rules: tuple[str, ...] = ()  # between features, in words
    policy: str = ""  # that applied, as YAML; "" where nothing is known of it
    people: int = 0  # in the reference population
    versions: dict[str, str] = field(default_factory=dict)  # library → version
    hashes: dict[str, str] = field(default_factory=dict)  # "model", "reference", "policy" → SHA-256
    settings: dict[str, Any] = field(default_factory=dict)  # "seed", "contamination", …: plain values

    def to_dict(self) -> dict[str, Any]:
        """Give the same content as JSON-ready data."""
        return {
            "features": [feature.to_dict() for feature in self.features.values()],
            "rules": list(self.rules),
            "policy": self.policy,
            "people": self.people,
            "versions": dict(self.versions),
            "hashes": dict(self.hashes),
            "settings": plain_values(self.settings),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, limits: Limits = DEFAULT) -> "Question":
        """Undo `to_dict`."""
        return cls._read(entry_of(data, cls, limits))

    @classmethod
    def _read(cls, entry: Entry) -> "Question":
        features = [Feature._read(one) for one in entry["features"].each()]
        return cls(
            features={feature.name: feature for feature in features},
            rules=entry["rules"].texts(),
            policy=entry["policy"].text(),
            people=entry["people"].whole(),
            versions=entry["versions"].read_all(Entry.text),
            hashes=entry["hashes"].read_all(Entry.text),
            settings=entry["settings"].values(),
        )
