"""Run DiCE, in its own environment: python run_dice.py <folder> <first person>."""

import math
import random
from typing import Any

import dice_ml
import numpy as np
import pandas as pd
from question import Peer, Question, Read, Search, answer

OUTCOME = "outcome of the person"  # no column is called so


def prepare(question: Question) -> Peer:
    """Set up DiCE with all columns as numbers, as in the authors' code, and whole columns as integers.

    With yes-or-no columns as categories (15 people, LightGBM, three data sets, one and four counterfactuals),
    half of the results were nearer and half were farther, and the genetic method took 1 to 12 times as long.

    DiCE derives the decimals of a column from its most frequent value, and 0.0 counts as one decimal. A
    yes-or-no column of floats would get values such as 0.3. DiCE treats integers as whole numbers.
    """
    types = dict.fromkeys(question.columns, float) | dict.fromkeys(question.whole, int)
    train = question.train.astype(types)
    data = dice_ml.Data(
        dataframe=train.assign(**{OUTCOME: question.outcome}),
        continuous_features=question.columns,
        outcome_name=OUTCOME,
    )
    model = dice_ml.Model(model=question.model, backend="sklearn", model_type="classifier")
    explainer = dice_ml.Dice(data, model, method=question.options["method"])
    ranges = (
        permitted(question) if question.options["ranges"] else None
    )  # None: the ranges of the training rows

    def peer(person: np.ndarray, seed: int) -> tuple[Search, Read]:
        row = pd.DataFrame([person], columns=question.columns).astype(types)
        # Not with random_seed, which restarts the draws for every column, so all columns change together.
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002 – DiCE draws from the global generator

        def search() -> Any:
            return explainer.generate_counterfactuals(
                row,
                total_CFs=question.answers,
                desired_class=1,
                features_to_vary=question.mutable,
                permitted_range=ranges,
            )

        return search, lambda given: rows_of(given, question.columns)

    return peer


def permitted(question: Question) -> dict[str, list[float]]:
    """Return the ranges for DiCE: whole numbers for whole columns."""
    whole = question.whole
    return {
        name: [math.ceil(low), math.floor(high)] if name in whole else [low, high]
        for name, (low, high) in question.ranges.items()
    }


def rows_of(given: Any, columns: list[str]) -> list[list[float]]:
    """Return the sparse frame, which DiCE displays and writes to JSON, and which the authors' code uses."""
    frame = given.cf_examples_list[0].final_cfs_df_sparse
    return [] if frame is None else frame[columns].to_numpy(float).tolist()


if __name__ == "__main__":
    answer(prepare, packages=("dice-ml", "numpy", "pandas", "scikit-learn"))
