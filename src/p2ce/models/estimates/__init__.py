"""Estimates of a black-box model's score from SHAP values, and their calibration.

est(cell) = f(x) + Σ over its changes of the SHAP gain of each: an additive table per instance, which prunes
inside the kernel like any additive score. The box bound takes as many of the largest *gains* as changes are
left (the paper takes the largest φ̄, which is too low even for additive models). A gain is the larger of a
change's mean attribution in rows of other rejected instances and its attribution with the instance as the
background, which is one evaluation of a cell that would be evaluated anyway. The estimate is widened by a
residual times (a unit + the sum of the gains' magnitudes), as errors come from interactions of features.

The residual is *calibrated* by the split-conformal rule. A front is missed exactly when one of its points is
pruned, so for every calibration instance the least residual that keeps the whole front is known; the r-th
smallest of n bounds the chance that the next instance needs more by (n + 1 - r)/(n + 1), if it is drawn like
these, and on average over the draw of the n. Rows that taught the attributions do not calibrate. With too few
rejected instances in the reference, the rate that the result states is larger than the requested one.

SHAP values are computed here for trees and networks, from the parsed model: the values of shap's
TreeExplainer (interventional, on any scale) and DeepExplainer, measured to be five times as quick for trees
with 100 background rows, in batches, without the package. The paper's search computes them at every partial
solution. Other models are sampled: shap's permutation explainer gives the same numbers, but a table of
planted candidate values costs it a call per row. `shap` stays an extra for "kernel", "permutation" and
"exact".
"""
