"""Trees whose leaves hold a line, and not a number.

A leaf adds its constant and a weighted sum of some columns, or another number if one of them is missing.
Between two thresholds the score therefore changes with the value, so candidates on either side of the
thresholds are not enough, and nothing here claims so: the score is not flat, and it is evaluated outside the
kernel.

Why a bound is a bound. In a box, every column lies between its lowest and its highest candidate. A row in
the box that reaches a leaf also lies in the leaf's own intervals. So no column adds more than at one end of
the intersection of both, and the leaf adds at most its constant and these. The best of the leaves that
intersect the box bounds the tree, and the sum over the trees bounds the score. All sums are computed in
float64; twice the bound of their rounding is added.
"""
