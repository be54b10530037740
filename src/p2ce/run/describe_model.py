"""Describe a compiled problem: how the model is parsed, and how large the grid is."""

from p2ce.compile.compiled_problem import Problem
from p2ce.result.problem_record import ModelFacts
from p2ce.run.build_explanation import bound_text, bounds_of, count_cells


def facts_of(problem: Problem) -> ModelFacts:
    """Describe a problem."""
    # One candidate of each feature is the instance's current value.
    others = [max(int(length) - 1, 0) for length in problem.grid.lengths]
    return ModelFacts(
        family=problem.family,
        bound=bound_text(bounds_of(problem)),
        is_black_box=any(model.is_black_box for model in problem.models),
        black_box_because="; ".join(
            dict.fromkeys(model.black_box_because for model in problem.models if model.black_box_because)
        ),
        scale=problem.scale,
        threshold=problem.threshold,
        classes=problem.model.classes,
        target=problem.target,
        columns=problem.names,
        detector=None if problem.required_detector is None else problem.required_detector.family,
        objectives=problem.objective_names,
        max_changes=problem.max_changes,
        cells=count_cells(tuple(sorted(others)), problem.max_changes),
        alternatives=dict(zip(problem.grid.names, others, strict=True)),
        rules=tuple(rule.data for rule in problem.rules),
    )
