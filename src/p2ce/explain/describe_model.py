"""Describe a question without its person: how the model is read, and how large the grid is."""

from p2ce.explain.build_explanation import count_cells, describe_bound
from p2ce.compilation.compiled_problem import Setup
from p2ce.result.model_facts import ModelFacts


def facts_of(setup: Setup) -> ModelFacts:
    """Describe a setup."""
    # Of a grid that somebody stands on, one candidate of each feature is where they are.
    others = [max(int(length) - 1, 0) for length in setup.grid.lengths]
    return ModelFacts(
        family=setup.family,
        bound=describe_bound(setup),
        is_asked=any(model.is_asked for model in setup.models),
        asked_because="; ".join(
            dict.fromkeys(model.asked_because for model in setup.models if model.asked_because)
        ),
        is_compiled=not setup.in_waves,
        scale=setup.scale,
        threshold=setup.threshold,
        classes=setup.model.classes,
        target=setup.target,
        columns=setup.names,
        detector=None if setup.judges is None else setup.judges.family,
        objectives=setup.objective_names,
        max_changes=setup.max_changes,
        cells=count_cells(tuple(sorted(others)), setup.max_changes),
        alternatives=dict(zip(setup.grid.names, others, strict=True)),
        rules=tuple(rule.rule.text() for rule in setup.rules),
    )
