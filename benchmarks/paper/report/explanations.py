"""Why does a cell's outlier share lie outside the paper's interval? Written by hand, after looking."""

# (experiment, data, model) → one or two sentences, shown beside the cell in the second verdict.
EXPLANATIONS: dict[tuple[str, str, str], str] = {}
