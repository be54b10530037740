"""Find the instances for which a problem is valid, and parse the models again for the others."""

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.base.calls.budget import current_budget
from p2ce.compile.compile_arguments import Compiled
from p2ce.compile.compiled_problem import Problem, magnitude
from p2ce.compile.lay_out import for_instance, with_codebook, with_models
from p2ce.compile.rule_scores import columns_to_miss
from p2ce.engine.grid.grouped_axis import with_levels
from p2ce.errors import InvalidRow
from p2ce.models.several_models import codebook_of_all
from p2ce.tables.codebook import MISSING, Codebook
from p2ce.tables.encode import has_unseen_categories


def within_reach(problem: Problem, values: FloatArray) -> BoolArray:
    """Return for which instances (n, d) the problem is valid; each of the others needs its own problem."""
    return parsed_for(problem, values) & shaped_for(problem, values)


def parsed_for(problem: Problem, values: FloatArray) -> BoolArray:
    """Return for which instances (n, d) the parsed scores are proven.

    The rounding of a linear model grows with its inputs, and missing-value behaviour is parsed only for the
    columns in which values may be missing.
    """
    if not problem.parsed_for_missing:
        return np.zeros(len(values), dtype=np.bool_)
    inside = np.ones(len(values), dtype=np.bool_)
    missing = values == MISSING
    if missing.any():
        unknown = np.array([name not in problem.nullable for name in problem.names])
        inside &= ~(missing & unknown).any(axis=1)
    if not all(model.knows_unseen_categories or model.score is None for model in problem.models):
        inside &= ~has_unseen_categories(problem.codebook, values)
    reaching = [model for model in problem.models if model.reach is not None]
    if reaching:
        largest = np.maximum(magnitude(values), problem.largest_candidates)
        for model in reaching:
            inside &= (largest[:, problem.columns_of(model)] <= model.reach).all(axis=1)
    return inside


def shaped_for(problem: Problem, values: FloatArray) -> BoolArray:
    """Return for which instances (n, d) the axes are valid: those at a known level of every one-hot group."""
    if not problem.compounds:
        return np.ones(len(values), dtype=np.bool_)
    return np.asarray(~np.isnan(with_levels(values, problem.compounds)).any(axis=1))


def needed_reach(problem: Problem, values: FloatArray) -> FloatArray:
    """Return the magnitudes (d,) for which the models must be parsed, with a reserve."""
    largest = np.maximum(magnitude(values).max(axis=0, initial=0.0), problem.largest_candidates)
    return np.asarray(4.0 * np.maximum(largest, 1.0))


def reaching(
    known: Compiled, problem: Problem, values: FloatArray, codebook: Codebook | None = None
) -> Problem:
    """Compile a problem that is valid for instances (n, d), or for one at a level that only it has.

    ``codebook`` decodes the instances, if they may have labels that the problem does not know.
    """
    if codebook is not None and codebook is not problem.codebook:
        problem = with_codebook(problem, codebook)
    if not parsed_for(problem, values).all():
        problem = parse_again(known, problem, values)
    if problem.compounds and not shaped_for(problem, values).all():
        return for_instance(problem, values[0])
    return problem


def parse_again(known: Compiled, problem: Problem, values: FloatArray) -> Problem:
    """Parse the models again for instances (n, d) about which their parsed scores prove nothing.

    They lie farther out than a linear model's rounding was proven for, or have missing values in columns in
    which the reference has none. For unseen labels, only the model itself knows the result, so it is then a
    black box.
    """
    if current_budget() is not None and any(model.is_black_box for model in problem.models):
        raise InvalidRow(
            "The model must be checked again for this row, which max_calls and max_rows forbid: a value "
            "is missing where the reference has none, or far beyond the reference. Add a row like it to the "
            "reference, or explain it without a budget."
        )
    reference = known.reference.iloc[known.sample]
    parse_models = known.parse_models
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
    return with_models(problem, models, codebook=codebook, detector=detector, nullable=nullable)
