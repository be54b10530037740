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
    """All columns are numbers for DiCE, as in the authors' code, and whole ones are integers.

    Yes-or-no columns as categories were tried too (15 people, LightGBM, three data sets, one and four
    answers): nearer in half of the cases, farther in the other half, and the genetic method took one to
    twelve times as long.

    DiCE guesses a column's decimals from its most frequent value, and takes 0.0 for one decimal: a yes-or-no
    column of floats would get answers such as 0.3. DiCE takes integers for whole columns.
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
    ranges = permitted(question) if question.options["ranges"] else None  # None: as the training rows have it

    def peer(person: np.ndarray, seed: int) -> tuple[Search, Read]:
        row = pd.DataFrame([person], columns=question.columns).astype(types)
        # Not by random_seed: it starts every column's draws anew, so that all columns move together.
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
    """The ranges in DiCE's terms: whole numbers where a column holds nothing else."""
    whole = question.whole
    return {
        name: [math.ceil(low), math.floor(high)] if name in whole else [low, high]
        for name, (low, high) in question.ranges.items()
    }


def rows_of(given: Any, columns: list[str]) -> list[list[float]]:
    """The sparse frame: the one that DiCE shows and writes to JSON, and that the authors' code reads."""
    frame = given.cf_examples_list[0].final_cfs_df_sparse
    return [] if frame is None else frame[columns].to_numpy(float).tolist()


if __name__ == "__main__":
    answer(prepare, packages=("dice-ml", "numpy", "pandas", "scikit-learn"))
