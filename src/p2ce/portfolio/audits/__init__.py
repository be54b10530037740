"""Compare groups of people by their explanations: rejection, recourse, costs and burden, with intervals.

Explanations or a folder are normalised to arrays of outcomes, and audits work on those only. Rates have exact
binomial intervals, costs bootstrap ones (stratified by group), comparisons a permutation test, corrected for
their number. Whatever they claim holds for every way in which unfinished searches may end: `open_costs` has
the proof for quantiles, resampling and permutation tests carry it on to intervals and tests.
"""
