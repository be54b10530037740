"""Parse the models again, for instances about which the parsed scores prove nothing."""

from functools import partial

import numpy as np
import pandas as pd

from p2ce.base.arrays import FloatArray
from p2ce.compile.compiled_problem import Problem, needed_reach
from p2ce.compile.encode import has_unseen_categories
from p2ce.compile.rule_scores import columns_to_miss
from p2ce.models.decisions.adapter import Adapter
from p2ce.models.several_models import codebook_of_all
from p2ce.tables.codebook import MISSING


def parse_again(
    problem: Problem,
    values: FloatArray,
    *,
    reference: pd.DataFrame,
    parse_models: "partial[tuple[Adapter, ...]]",
) -> Problem:
    """Parse for instances (n, d) that lie farther out than a linear model's rounding was proven for.

    Also parse for missing values in columns in which the reference has none. For unseen labels, only the
    model itself knows the result, so it is then a black box.
    """
    order = problem.labels.get_indexer(reference.columns)
    lacking = np.flatnonzero((values == MISSING).any(axis=0))
    nullable = problem.nullable | columns_to_miss(problem.policy)
    nullable |= {problem.names[column] for column in lacking}
    knows_all = all(model.knows_unseen_categories for model in problem.models)
    unseen = not knows_all and bool(has_unseen_categories(problem.codebook, values).any())
    codebook = parse_models.keywords["codebook"].with_codings_of(problem.codebook)
    models = parse_models(
        reference=reference,
        codebook=codebook,
        reach=needed_reach(problem, values)[order],
        nullable=nullable,
        black_box=parse_models.keywords["black_box"] or unseen,
    )
    detector = problem.detector
    if nullable != problem.nullable and detector is not None and detector.again is not None:
        detector = detector.again(nullable)
    codebook = codebook_of_all(models, codebook).of(problem.names)
    return problem.with_models(models, codebook=codebook, detector=detector, nullable=nullable)
