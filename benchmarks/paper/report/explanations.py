"""Why does a cell's outlier share lie outside the paper's interval? Written by hand, after looking."""

# (experiment, data, model, "below" or "above") → one or two sentences, shown beside the cell in the second
# verdict. Fewer outliers than the paper and more have different reasons: one never excuses the other.
EXPLANATIONS: dict[tuple[str, str, str, str], str] = {}
