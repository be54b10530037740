"""Explain tiny problems of every kind of kernel; as a program, print the explanations."""

import json
import sys
from typing import Any

import numpy as np
import pandas as pd

import p2ce
from p2ce.rules import linked


def explanations() -> dict[str, Any]:
    """Return each kind of problem with its explanation, including the counters of work."""
    from sklearn.ensemble import RandomForestClassifier, VotingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier

    cells = np.random.default_rng(0).integers(0, 6, (60, 5))
    rows = pd.DataFrame(cells, columns=list("abcde"))
    label = (cells.sum(axis=1) >= 13).astype(int)
    forest = RandomForestClassifier(3, max_depth=3, random_state=0).fit(rows, label)
    sums = LogisticRegression().fit(rows, label)
    network = MLPClassifier((3,), solver="lbfgs", max_iter=3000, random_state=0).fit(rows, label)
    ensemble = VotingClassifier([("forest", forest), ("sums", sums)], voting="soft").fit(rows, label)
    detector = p2ce.PlausibilityForest(n_estimators=3)
    policy = p2ce.Policy.infer(rows).with_rules(linked("b", "a"))
    kinds: dict[str, tuple[Any, dict[str, Any], dict[str, Any]]] = {
        "trees and detector": (forest, {"plausibility": detector}, {}),
        "any number of changes": (forest, {"max_changes": None}, {}),
        "linked feature": (forest, {"policy": policy}, {}),
        "time limit": (forest, {}, {"time_limit": 600.0}),
        "sums": (sums, {}, {}),
        "network": (network, {}, {}),
        "ensemble": (ensemble, {}, {}),
        "function": (lambda frame: (frame["a"] + frame["b"]) / 12, {}, {}),
    }
    found = {}
    for kind, (model, settings, call) in kinds.items():
        everything = {"target": 1, "max_changes": 2, "plausibility": None, **settings}
        explainer = p2ce.Explainer(model, rows, **everything)
        rejected = rows[explainer.scores(rows) < 0.5]
        found[kind] = explainer.explain(rejected.iloc[0], **call).to_dict()
    return found


if __name__ == "__main__":
    sys.stdout.write(json.dumps(explanations()))
