"""A model contradicts its scores if it decides what they prove otherwise, or reports another value."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from p2ce.compile.prove_cells import Proof
from p2ce.run.verify.verify_cells import _contradictions

OWN = np.array([0.2, 0.5, 0.8])
YES, NO = np.ones(3, dtype=np.bool_), np.zeros(3, dtype=np.bool_)


def found(accepts: np.ndarray, rejects: np.ndarray, *, value: Any = OWN, report: Any = None) -> list[bool]:
    model: Any = SimpleNamespace(threshold=0.5, report=report, score=object(), tolerance=1e-9)
    return _contradictions(model, Proof(np.asarray(value), accepts, rejects), OWN).tolist()


def test_each_proof_may_be_contradicted() -> None:
    assert found(YES, NO) == [True, False, False]
    assert found(NO, YES) == [False, True, True]
    assert found(NO, NO) == [False, False, False]
    assert found(NO, NO, report=lambda value: value, value=OWN + np.array([0.0, 1e-3, 0.0])) == [
        False,
        True,
        False,
    ]
