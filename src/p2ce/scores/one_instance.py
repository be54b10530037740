"""Select one instance of a batch, for the kernels."""

from typing import NamedTuple

from p2ce.arrays import FloatArray, Int32Array
from p2ce.jit import kernel
from p2ce.scores.flat_arrays import Records


class Instance(NamedTuple):
    """One instance of `FlatInstances`, without the first dimension."""

    positions: Records  # (axes,) POSITION
    seen: FloatArray  # (views, axes, width)
    own: FloatArray  # (views, columns)
    prices: Records  # (objectives, axes, width) PRICE
    joins: Int32Array  # (objectives,)
    shares: FloatArray  # (objectives,)
    gains: Int32Array  # (tables, axes, width)
    thresholds: Records  # (scores,) LIMIT
    banned: Int32Array  # (bans, axes + 1)


@kernel
def instance_of(instances, p):
    """Return views of the batch's arrays for instance p."""
    return Instance(
        instances.positions[p],
        instances.seen[p],
        instances.own[p],
        instances.prices[p],
        instances.joins,
        instances.shares[p],
        instances.gains[p],
        instances.thresholds[p],
        instances.banned[instances.first_ban[p] : instances.first_ban[p + 1]],
    )
