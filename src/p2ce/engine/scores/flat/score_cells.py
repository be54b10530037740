"""Score listed points in the library's own order, compiled."""

from p2ce.engine.kernels.jit import entry
from p2ce.engine.scores.flat.dense import score_cell
from p2ce.engine.scores.flat.one_instance import instance_of


@entry
def score_points(flat, s, instances, owner, points, row, out):
    """Write the score of every point (n, axes) of instance ``owner[n]``; ``row`` is scratch (columns,)."""
    for n in range(points.shape[0]):
        out[n] = score_cell(flat, s, instance_of(instances, owner[n]), points[n], row)
