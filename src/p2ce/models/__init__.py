"""Parse what scores rows, the user's fitted models and detectors, into scores with proven bounds.

A family (`families/<library>/`) delivers *margins*: sums over trees, weighted sums, or a network, with the
error of the library's own arithmetic (`contract/`). It translates the library's comparison (float32 casts,
`<` or `<=`, LightGBM's zero band) into a plain float64 `<=`. `preprocessing/` looks through a pipeline's
transformers. `decisions/` makes scores of margins, once for all families. `detectors/` has one file per kind
of plausibility detector: a detector is a score with the threshold 0. Any other model is a black box, which is
evaluated cell by cell, or estimated (`estimates/`).

Several models are further scores. The reported score is the lowest, or, where thresholds or scales differ,
the least room above them.

Kernel machines and naive Bayes are black boxes; docs/theory/choices.md says why. `LinearSVC` and `LinearSVR`
are linear models and parsed.
"""
