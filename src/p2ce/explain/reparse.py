"""Read the models again, for people about whom the first reading proves nothing."""

from functools import partial

import numpy as np
import pandas as pd

from p2ce.arrays import FloatArray
from p2ce.compilation.compiled_problem import Setup, needed_reach
from p2ce.explain.encode import has_strangers
from p2ce.compilation.rule_scores import columns_to_miss
from p2ce.decisions.model_adapter import ReadModel
from p2ce.tables.codebook import MISSING


def read_again(
    setup: Setup,
    values: FloatArray,
    *,
    reference: pd.DataFrame,
    read_models: "partial[tuple[ReadModel, ...]]",
) -> Setup:
    """Read for people (n, d) who lie farther out than a linear model's rounding was proven for.

    Or who lack values that nobody of the reference lacks, or may lose them; or have labels about which only
    the model itself knows: then it is asked.
    """
    order = setup.labels.get_indexer(reference.columns)
    lacking = np.flatnonzero((values == MISSING).any(axis=0))
    may_miss = setup.may_miss | columns_to_miss(setup.actions)
    may_miss |= {setup.names[column] for column in lacking}
    knows_all = all(model.takes_strangers for model in setup.models)
    strangers = not knows_all and bool(has_strangers(setup.codebook, values).any())
    models = read_models(
        reference=reference,
        reach=needed_reach(setup, values)[order],
        may_miss=may_miss,
        opaque=read_models.keywords["opaque"] or strangers,
    )
    detector = setup.detector
    if may_miss != setup.may_miss and detector is not None and detector.again is not None:
        detector = detector.again(may_miss)
    return setup.with_models(models, detector=detector, may_miss=may_miss)
