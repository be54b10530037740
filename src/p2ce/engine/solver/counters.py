"""The counters of a search for each instance: the columns of `Fronts.counters`."""

# BOXES: expanded boxes. Of these, DOMINATED, TOO_MANY (changes), RULE and BOUND were pruned.
# SCORED: evaluated cells. CHECKED: cells that the kernel scored in the library's own order.
# WORK: units of a few nanoseconds; the count is the same on every machine.
# EXTERNAL: boxes pruned by the bound of an external score.
# ESTIMATE: boxes and cells pruned by an estimate, which proves nothing.
# RULE: boxes pruned by a rule between features. ATTRIBUTED: cells for which SHAP values were computed.
# BOUND + s: boxes pruned by the bound of compiled score s, where s = 2 stands for all further scores.
BOXES, DOMINATED, TOO_MANY, SCORED, CHECKED, WORK, EXTERNAL, ESTIMATE, RULE, ATTRIBUTED, BOUND = range(11)
COUNTERS = BOUND + 3
