"""Describe a question without its person: how the model is read, and how large the grid is."""

from p2ce.compilation.compiled_problem import Problem
from p2ce.explain.build_explanation import count_cells, describe_bound
from p2ce.result.model_facts import ModelFacts


def facts_of(problem: Problem) -> ModelFacts:
    """Describe a setup."""
    # Of a grid that somebody stands on, one candidate of each feature is where they are.
    others = [max(int(length) - 1, 0) for length in problem.grid.lengths]
    return ModelFacts(
        family=problem.family,
        bound=describe_bound(problem),
        is_black_box=any(model.is_black_box for model in problem.models),
        black_box_because="; ".join(
            dict.fromkeys(model.black_box_because for model in problem.models if model.black_box_because)
        ),
        is_compiled=not problem.in_waves,
        scale=problem.scale,
        threshold=problem.threshold,
        classes=problem.model.classes,
        target=problem.target,
        columns=problem.names,
        detector=None if problem.judges is None else problem.judges.family,
        objectives=problem.objective_names,
        max_changes=problem.max_changes,
        cells=count_cells(tuple(sorted(others)), problem.max_changes),
        alternatives=dict(zip(problem.grid.names, others, strict=True)),
        rules=tuple(rule.rule.text() for rule in problem.rules),
    )
