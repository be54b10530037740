"""Trees and sums as scores.

Splits that are not one cut, by category or with missing values that go right, are lists of cuts at which the
side alternates. They are written as chains of plain cuts, with copies of what lies below, trimmed to what can
be reached: the solver knows nothing but intervals. On Adult this triples LightGBM's nodes;
HistGradientBoosting with missing values in all columns has ten times as many; models that would exceed four
million are black boxes. Default directions of missing values are parsed only for columns in which a value is
missing in the reference, or may become missing; for an instance with another missing value the model is
parsed again.

There is one way from node arrays to a `Forest`, vectorised over all trees: milliseconds for a thousand of
them. No walk is needed for acyclicity: nothing leads to a root, and to no node twice.
"""
