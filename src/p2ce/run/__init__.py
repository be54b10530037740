"""Run the search for encoded rows: place, price, solve, verify, exclude and solve again, round, build.

`explain_batch` is the whole path in one function. `explain` is a batch of one, `explain_many` is many
batches, here or in other processes. Maps, evaluations of proposals, relaxations and calibration are other
callers of the same steps (`analysis/`, `estimation/`).

Refinement. Where anything other than trees decides, rows between inferred candidates are tried near the
front: halving back towards today's value, then combinations of single changes that an additive estimate of
their scores picks. It is not a search with a proof, and claims none: the front of the grid is proven, and
what replaces an option dominates it. Solving a finer grid for each instance again was the alternative: laying
out the scores takes milliseconds an instance, and a black box would be evaluated thousands of times more.

Black-box models are evaluated *completely*: every cell that nothing dominates, so the front is proven; or by
an *estimate* that prunes without proof, if that would take too many evaluations.

Time changes no explanation, unless the user limits it. Counts decide: between complete and estimated (500,000
evaluations of the model for each of a few instances), how many instances calibrate an estimate, which sets
`relaxations` relaxes, sizes of batches and when boxes are bounded. The solver takes a limit of work for each
instance (the counter WORK; an external evaluation counts as 1,000 units), which ends it at the same box on
every machine and in any batch. `time_limit=` and `ShapEstimate(time_limit=…)` are the user's own, and a
status or a warning says when they cut. Once a call of a model has passed the limit, no other begins.
"""
