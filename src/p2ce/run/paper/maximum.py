"""The paper's estimate f̄ of the highest prediction that a partial solution can still reach.

Let φ be the SHAP values of f, O the open features and φ̄ᵢ the largest known φᵢ. The paper's plain form is
f(x + a) + Σ over O of (φ̄ᵢ − φᵢ). Its k-limited form sums over O_k, the k open features with the largest φ̄.
Both omit the residual R, so neither is a bound: see docs/theory/paper.md.
"""

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.compile.paper_settings import AS_PRINTED, Mapocam


def shap_maximum(
    value: float, phi: FloatArray, phi_bar: FloatArray, changes_left: int, settings: Mapocam
) -> float:
    """Estimate f̄ from f(x + a), and φ and φ̄ of the open features (open,).

    The corrected k-limited form takes the k features with the largest *gains*, and no feature with a loss.
    For an additive model, f(x + ã) − f(x + a) is a sum of φᵢ(x + ã) − φᵢ(x + a) ≤ φ̄ᵢ − φᵢ over at most k
    features, and each of them may also stay unchanged. The k features with the largest φ̄ need not have the
    largest gains.
    """
    gains = phi_bar - phi
    if settings.errata == AS_PRINTED:
        if settings.form == "k-limited":
            gains = gains[np.argsort(-phi_bar, kind="stable")[:changes_left]]
        return value + float(gains.sum())
    gains = np.maximum(gains, 0.0)
    if settings.form == "k-limited" and changes_left < len(gains):
        gains = np.sort(gains)[len(gains) - changes_left :]
    return value + float(gains.sum())
