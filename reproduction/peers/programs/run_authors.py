"""Run the authors' P2CE or MAPOCAM, imported from a checkout: python run_authors.py <folder> <first person>.

Classes and settings are those of their experiment_lr.py, experiment_lgbm.py and experiment_mlp.py. Both sides
use the same model, people, candidate values and detector.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import joblib
import numpy as np
import pandas as pd
from detector import Detector
from portable_model import PortableModel, read_object
from question import Peer, Question, Read, Search, answer

MAX_CHANGES = 3


def prepare(question: Question) -> Peer:
    """Set up their classes once. Each person is one call of fit."""
    sys.path.insert(0, question.options["checkout"])
    np.random.seed(question.seed)  # noqa: NPY002 – their background is drawn from the global generator
    policy = action_set(question)
    classifier = CLASSIFIERS[question.kind](question, detector_of(question))
    count_explanations(classifier, question.counts)
    compare = criterion(policy, objectives=question.options["objectives"])
    return (mapocam if question.options["method"] == "mapocam" else p2ce)(
        question, policy, classifier, compare
    )


def p2ce(question: Question, policy: Any, classifier: Any, compare: Callable[[Any], Any]) -> Peer:
    from cfmining.algorithms import P2CE

    method = P2CE(
        action_set=policy,
        classifier=classifier,
        compare=compare,
        max_changes=MAX_CHANGES,
        estimate_outlier=question.options["method"] == "p2ce",
        time_limit=question.seconds_per_person or np.inf,
    )

    def peer(person: np.ndarray, _: int) -> tuple[Search, Read]:
        if hasattr(classifier, "clear_cache"):  # before each person, as their experiments do
            classifier.clear_cache()
        return lambda: finished(method.fit(person)), lambda found: found.solutions

    return peer


def mapocam(question: Question, policy: Any, classifier: Any, compare: Callable[[Any], Any]) -> Peer:
    from cfmining.algorithms import MAPOCAM

    def search(person: np.ndarray) -> Any:
        if question.kind == "lightgbm":
            classifier.fit(person, policy)  # extracts the trees over this person's grid
        method = MAPOCAM(
            policy,
            person,
            classifier,
            max_changes=MAX_CHANGES,
            compare=compare(person),
            time_limit=question.seconds_per_person or np.inf,
        )
        return finished(method.fit())

    def peer(person: np.ndarray, _: int) -> tuple[Search, Read]:
        return lambda: search(person), lambda found: [list(map(float, row)) for row in found.solutions]

    return peer


def finished(method: Any) -> Any:
    """Raise if open nodes are left, the only trace of their time limit."""
    if len(method.calls):
        raise TimeoutError("time limit")
    return method


def action_set(question: Question) -> Any:
    """Build their ActionSet with this project's candidate values."""
    from cfmining.action_set import ActionSet

    policy = ActionSet(X=question.train, mutable_features=question.mutable)
    for name, values in question.options["candidates"].items():
        policy[name]._grid = np.array(values, dtype=float)
    return policy


def criterion(policy: Any, *, objectives: int) -> Callable[[Any], Any]:
    """Build c₁, or c₁ to c₃, as in their experiments."""
    from cfmining import criteria

    ranges = criteria.RangeCalculator(policy)

    def three(person: np.ndarray) -> Any:
        costs = [
            criteria.MaxDistCriterion(person, ranges),
            criteria.NumberChangesCriterion(person),
            criteria.AbsDiffCriterion(person, ranges),
        ]
        return criteria.MultiCriterion(costs, person)

    return three if objectives == 3 else lambda person: criteria.AbsDiffCriterion(person, ranges)


def detector_of(question: Question) -> Detector:
    return Detector(joblib.load(question.folder / "detector.joblib"), question.counts)


def counted(question: Question) -> Any:
    """Load the model itself, and count each call and each distinct row."""
    model = read_object(question.folder)
    own = model.predict_proba

    def predict_proba(rows: Any, *more: Any, **options: Any) -> Any:
        count(question, rows)
        return own(rows, *more, **options)

    model.__dict__["predict_proba"] = predict_proba
    return model


def count(question: Question, rows: Any) -> None:
    question.counts["calls"] += 1
    question.seen.update(
        row.tobytes() for row in np.asarray(rows, dtype=float).reshape(-1, len(question.columns))
    )
    question.counts["cells"] = len(question.seen)


class Network:
    """The network in the form of their pipeline: no preprocessing, then a PyTorch module with two outputs."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.portable = PortableModel(question.model.score)
        self.last = SimpleNamespace(model=torch_model(question.folder))

    def __getitem__(self, place: Any) -> Any:
        return self.last if place == -1 else SimpleNamespace(transform=lambda rows: rows)

    def predict_proba(self, rows: Any) -> np.ndarray:
        count(self.question, rows)
        return self.portable.predict_proba(rows)


def torch_model(folder: Path) -> Any:
    """Build the layers in PyTorch, with the outputs 1 − f and f that their explainer expects."""
    import torch

    described = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    layers: list[Any] = []
    with np.load(folder / "model.npz") as numbers:
        last = len(described["activations"]) - 1
        for place, name in enumerate(described["activations"]):
            weights, bias = numbers[f"weights{place}"], numbers[f"bias{place}"]
            if place == last:
                weights, bias = np.vstack([-weights, weights]), np.concatenate([-bias, bias])
            layer = torch.nn.Linear(weights.shape[1], weights.shape[0])
            layer.weight.data = torch.tensor(weights, dtype=torch.float32)
            layer.bias.data = torch.tensor(bias, dtype=torch.float32)
            layers += [layer, *([] if name == "Identity" else [getattr(torch.nn, name)()])]
    return torch.nn.Sequential(*layers, torch.nn.Sigmoid()).eval()


def count_explanations(classifier: Any, counts: dict[str, int]) -> None:
    """Count each point whose SHAP values are computed during the search, without those of the set-up."""
    if not hasattr(classifier, "explainer"):
        return
    own = classifier.explainer

    def explain(rows: Any, **options: Any) -> Any:
        counts["explanations"] += len(rows)
        return own(rows, **options)

    classifier.explainer = explain


def for_logistic(question: Question, detector: Detector) -> Any:
    from cfmining.predictors import MonotoneClassifier

    return MonotoneClassifier(counted(question), detector, X=question.train)


def for_trees(question: Question, detector: Detector) -> Any:
    from cfmining.predictors import GeneralClassifier_Shap, TreeClassifier

    model = counted(question)
    if question.options["method"] != "mapocam":
        return GeneralClassifier_Shap(model, detector, question.train, shap_explainer="tree")
    trees = TreeClassifier(
        classifier=model,
        X=question.train,
        y=pd.Series(question.outcome),
        use_predict_max=True,
        clf_type="lightgbm",
    )
    own = trees.predict_proba

    def predict_proba(row: Any) -> Any:  # by the extracted trees, their own copy of the model
        count(question, row)
        return own(row)

    trees.predict_proba = predict_proba
    return trees


def for_network(question: Question, detector: Detector) -> Any:
    from cfmining.predictors import GeneralClassifier, GeneralClassifier_Shap

    model = Network(question)
    if question.options["method"] == "mapocam":
        return GeneralClassifier(model, detector, question.train)
    return GeneralClassifier_Shap(model, detector, question.train, shap_explainer="deep_pipe")


CLASSIFIERS = {"logistic": for_logistic, "lightgbm": for_trees, "mlp": for_network}

if __name__ == "__main__":
    # The set-up has already called everything, and one more search can take a minute.
    answer(prepare, packages=("numpy", "shap"), warms_up=False)
