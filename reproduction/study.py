"""Build a study: a data set, a trained model, the judges, and people that the model rejects."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import IsolationForest

import p2ce
from benchmarks.splits import Parts, choose, split
from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.datasets import Dataset
from reproduction.judge import ExtendedIsolationForest
from reproduction.settings import CONTAMINATION, THRESHOLD, Settings
from reproduction.training import Trained, probabilities, train

# Rows per call of a model: the hidden layers of a network for a million rows would fill the memory.
CHUNK = 1 << 16


@dataclass(frozen=True, kw_only=True, eq=False)
class Study:
    """One data set with one trained model, and everything else that the methods share."""

    data: str
    trained: Trained
    parts: Parts
    policy: p2ce.Policy  # the paper's grid, with immutable features fixed
    detector: IsolationForest  # scikit-learn's own, fitted exactly as p2ce fits its detector
    judge: ExtendedIsolationForest  # on the test part
    judge_axis_parallel: ExtendedIsolationForest  # the same with cuts along the axes, as in the authors' code
    denied: pd.DataFrame  # every rejected row of the test part
    people: pd.DataFrame  # the selected ones
    settings: Settings

    @property
    def model(self) -> str:
        """The kind of the model: a key of `names.MODELS`."""
        return self.trained.kind

    @property
    def train(self) -> pd.DataFrame:
        return self.parts.train

    @property
    def mutable(self) -> tuple[str, ...]:
        return tuple(feature.name for feature in self.policy.features if not feature.fixed)

    @cached_property
    def deviation(self) -> FloatArray:
        """R of the paper (d,): each column's standard deviation in the training part, or 1 if that is 0."""
        spread = self.train.to_numpy(float).std(axis=0)
        return np.where(spread == 0, 1.0, spread)

    def scores(self, rows: FloatArray) -> FloatArray:
        """Call the model itself: (n, d) → (n,)."""
        found = np.empty(len(rows))
        for start in range(0, len(rows), CHUNK):
            frame = pd.DataFrame(rows[start : start + CHUNK], columns=self.train.columns)
            found[start : start + CHUNK] = probabilities(self.trained, frame)
        return found

    def accepts(self, rows: FloatArray) -> BoolArray:
        return self.scores(rows) >= THRESHOLD

    def is_plausible(self, rows: FloatArray) -> BoolArray:
        plausible: BoolArray = self.detector.decision_function(rows) >= 0
        return plausible

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the problem: settings, people, model, training rows, and the grid."""
        digest = hashlib.sha256(json.dumps([self.data, self.model, asdict(self.settings)]).encode())
        for values in (self.people, self.train):
            digest.update(np.ascontiguousarray(values.to_numpy(float)).tobytes())
        digest.update(self.scores(self.train.to_numpy(float)).tobytes())
        for feature in self.policy.features:
            described = (feature.name, feature.fixed, float(feature.low), float(feature.high))
            digest.update(repr(described).encode() + feature.candidates().tobytes())
        return digest.hexdigest()[:16]


def prepare(
    loaded: Dataset,
    model: str,
    settings: Settings,
    *,
    cache: Path | None,
    progress: Callable[[str], None] | None = None,
) -> Study:
    """Split, train (or load from ``cache``), fit the judges, and select rejected people."""
    features, outcome = loaded.data[: settings.rows], loaded.target[: settings.rows]
    parts = split(features, outcome, kind=settings.split, seed=settings.seed)
    trained = train(model, parts, trials=settings.trials, seed=settings.seed, cache=cache, progress=progress)
    detector = IsolationForest(n_estimators=100, contamination=CONTAMINATION, random_state=settings.seed)
    detector.fit(parts.train.to_numpy(float))
    denied = parts.test[probabilities(trained, parts.test) < THRESHOLD]
    return Study(
        data=loaded.name,
        trained=trained,
        parts=parts,
        policy=actions_of(loaded, parts.train, settings),
        detector=detector,
        judge=_judge(parts.test, settings, dimensions=None),
        judge_axis_parallel=_judge(parts.test, settings, dimensions=1),
        denied=denied,
        people=choose(denied, count=settings.people, rng=np.random.default_rng(settings.seed)),
        settings=settings,
    )


def actions_of(loaded: Dataset, train: pd.DataFrame, settings: Settings) -> p2ce.Policy:
    """Return the paper's grid, with the features fixed that the settings select."""
    fixed = set(loaded.immutable)
    if loaded.name == "german" and settings.gender_may_change:
        fixed.discard("is_male")
    if loaded.name == "adult" and settings.everything_may_change:
        fixed.clear()
    return p2ce.Policy.infer(train, grid="paper", protect=None, special_values=None).fix(
        *(name for name in train.columns if name in fixed)
    )


def _judge(rows: pd.DataFrame, settings: Settings, *, dimensions: int | None) -> ExtendedIsolationForest:
    judge = ExtendedIsolationForest(dimensions=dimensions, contamination=CONTAMINATION, seed=settings.seed)
    return judge.fit(rows)
