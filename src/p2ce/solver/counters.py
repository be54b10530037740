"""Name what the search counts for each instance: the columns of `Fronts.counters`."""

# BOXES: boxes that were expanded; of these DOMINATED, TOO_MANY (changes), RULE and BOUND were pruned.
# SCORED: cells that were evaluated; CHECKED: cells that the kernel scored in the library's own order. WORK: a
# unit of a few nanoseconds that is the same on every machine. EXTERNAL: boxes pruned by the bound of an
# external evaluator; ESTIMATE: what an estimate pruned, which proves nothing; RULE: boxes pruned by a rule
# between features; ATTRIBUTED: cells at which SHAP values were computed. BOUND + s: boxes pruned by the bound
# of compiled score s, 2 standing for all from there on.
BOXES, DOMINATED, TOO_MANY, SCORED, CHECKED, WORK, EXTERNAL, ESTIMATE, RULE, ATTRIBUTED, BOUND = range(11)
COUNTERS = BOUND + 3
