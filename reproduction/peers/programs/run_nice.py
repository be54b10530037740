"""Run NICE, in its own environment: python run_nice.py <folder> <first person>."""

import numpy as np
from nice import NICE
from question import Peer, Question, Read, Search, answer


def prepare(question: Question) -> Peer:
    """Set up NICE as in the authors' code. It supports no constraints and returns one counterfactual.

    No column is categorical, since the distance of a yes-or-no column is 0 or 1 in both cases.
    """
    explainer = NICE(
        X_train=question.train.to_numpy(copy=True),
        predict_fn=question.model.predict_proba,
        y_train=question.outcome,
        cat_feat=[],
        num_feat=list(range(len(question.columns))),
        distance_metric="HEOM",
        num_normalization="minmax",
        optimization=question.options["optimization"],
        justified_cf=True,
    )

    def peer(person: np.ndarray, _: int) -> tuple[Search, Read]:
        row = person[None, :].copy()
        return lambda: explainer.explain(row, target_class=[1]), lambda given: given.astype(float).tolist()

    return peer


if __name__ == "__main__":
    answer(prepare, packages=("NICEx", "numpy"))
