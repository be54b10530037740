"""Neural networks as scores: linear layers and activations that end in one number, the margin.

A box's cells change only the first layer's contribution of the changed features (a kernel); the other layers
are matrix products over thousands of cells. Boxes are bounded by intervals, then by one backward pass of
linear relaxations (CROWN) over interval bounds, then by relaxations of every layer; each only where the one
before does not decide. At the input, the bound counts no more undecided features than may still change.

A stated margin covers floating point: a running error analysis bounds how far the library and we may be from
the network in real numbers, per instance, and per cell where that does not decide. What is left undecided is
evaluated by the model itself.
"""
