"""Verify the solver's results with the user's own model, detector and constraints.

All points of a batch go through one call of the user's own model and one of the detector (our own forest
needs none: its compiled score is the detector), and through every constraint. A rejected cell is excluded and
its instance is solved again, since the cell may have dominated others. Where a certified threshold was
contradicted, the parsed model is no longer trusted: every later explanation of that explainer is HEURISTIC,
and so is one whose cells stay undecided for too many rounds.

Libraries round a row differently in another batch (single precision by 10⁻⁷ or so), so the evaluation of a
row alone decides wherever it comes close to the threshold, for instances as for cells: the rest of a batch
changes nobody's front. Returned points of a black box are evaluated a second time, which reveals models that
are not deterministic. A display may round: the rounded row is evaluated like any other, and
`Counterfactual.rounded` holds what passed.
"""
