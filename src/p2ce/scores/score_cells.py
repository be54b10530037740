"""Score listed cells in the library's own order, compiled."""

from p2ce.jit import entry
from p2ce.scores.dense import score_cell
from p2ce.scores.one_instance import instance_of


@entry
def score_points(flat, s, instances, instance, cells, row, out):
    """Write the score of every point (n, axes) of instance ``instance[n]``; ``row`` is scratch (columns,)."""
    for n in range(cells.shape[0]):
        out[n] = score_cell(flat, s, instance_of(instances, instance[n]), cells[n], row)
