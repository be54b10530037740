"""Scores of rows and of grid cells, with proven bounds and error bands: the one form that the search uses.

A score is a function of a row that has to reach a threshold: a model, a detector, a rule, an estimate. It
gives the value of cells, a proven upper bound of boxes or none, and the certified thresholds `accept_from`
and `reject_below` of its error band; inside the band the user's own object decides.

Why a bound is a bound in floating point. At `accept_from` or above, the user's model accepts; below
`reject_below` it rejects; in between only the model knows, since the library adds in another order or
precision. Inside the kernel scores are integer *ticks*: rounding a leaf to ticks costs at most half a tick
per tree, and both thresholds move outwards by that and by the rounding of the library's float64 sum. Cells
inside the band are scored again in the library's own order; cells that are still undecided pass, and the
model itself decides in verification.

====================================================  ===================================================
Family                                                What decides inside the band
====================================================  ===================================================
LightGBM, GradientBoosting, HistGradientBoosting      sums in library order, float64; the logistic link
                                                      adds a few ulp
random forest, extra trees, decision tree, one job    exact, also at ties such as 50 votes of 100; several
                                                      jobs: the model
XGBoost                                               float32 sums: a proven band of n·2⁻²⁴·Σ|v|, inside
                                                      which the model decides
CatBoost, linear models                               order of summation unknown: a proven band, inside
                                                      which the model decides
a forest behind functions whose values are            sums in library order, unless an input is so close to
tabulated                                             a split that its rounding may decide: the model
networks                                              a proven margin per instance, then per cell, inside
                                                      which the model decides
ensembles of the above                                an interval of the number, from the intervals of its
                                                      parts, inside which the model decides
`PlausibilityForest`                                  exact: its compiled score is the detector
one class of several, ranges of regressors            differences or negatives of the above, with the
                                                      bands of both; the model, as `predict` decides
a threshold on a softmax of several classes           pairs prune only: the model
====================================================  ===================================================
"""
