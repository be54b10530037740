"""Build the parts of an explainer's file: settings, policy, reference and fitted forest, but no model."""

import json
from importlib.metadata import version
from typing import Any

from p2ce.base.arrays import FloatArray
from p2ce.compile.archive.saved_arguments import SavedArguments
from p2ce.compile.archive.stored_arrays import ENDING, write_array
from p2ce.compile.archive.stored_columns import Arrays
from p2ce.compile.archive.stored_forest import write_forest
from p2ce.compile.archive.stored_settings import write_settings
from p2ce.compile.archive.stored_table import write_table
from p2ce.compile.compiled_problem import Problem
from p2ce.compile.fingerprint import model_scores
from p2ce.models.detectors.plausibility_forest import PlausibilityForest
from p2ce.policy.file.policy_file import policy_text

# The number increases if an older version could misread the new format.
FORMAT, NUMBER = "p2ce.explainer", 1
HEAD, POLICY, TABLE, SCORES = "p2ce.json", "policy.yaml", "reference.json", f"scores{ENDING}"
LIBRARIES = ("p2ce", "numpy", "pandas", "scikit-learn")


def archive_parts(given: SavedArguments, problem: Problem, rows: FloatArray) -> dict[str, bytes]:
    """Return the parts of the file, by name.

    ``rows`` (n, d) are rows of the reference, whose scores identify the model.
    """
    policy = given.arguments.policy
    assert policy is not None
    scores = model_scores(problem, rows)
    forest: dict[str, Any] | None = None
    trees: Arrays = {}
    if isinstance(given.arguments.plausibility, PlausibilityForest):
        assert problem.detector is not None
        forest, trees = write_forest(problem.detector)
    head = {
        "format": f"{FORMAT}/{NUMBER}",
        "versions": {library: version(library) for library in LIBRARIES},
        "model": {
            "read as": problem.family,
            "columns": list(problem.names),
            "scores": len(scores),
            "fingerprint": problem.record.hashes["model"],
        },
        "settings": write_settings(given),
        "forest": forest,
    }
    text = policy_text(policy)
    schema, columns = write_table(given.reference, given.kind)
    return {
        HEAD: _json(head, indent=1),
        POLICY: text.encode(),
        TABLE: _json(schema),
        SCORES: write_array(scores.ravel()),
        **{f"reference/{name}{ENDING}": write_array(array) for name, array in columns.items()},
        **{f"forest/{name}{ENDING}": write_array(array) for name, array in trees.items()},
    }


def _json(content: Any, *, indent: int | None = None) -> bytes:
    return json.dumps(content, indent=indent, allow_nan=False).encode()
