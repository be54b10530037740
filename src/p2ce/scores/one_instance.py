"""Cut one person out of a batch, for the kernels."""

from typing import NamedTuple

from p2ce.arrays import FloatArray, Int32Array
from p2ce.jit import kernel
from p2ce.scores.flat_arrays import Records


class Person(NamedTuple):
    """One person's share of `FlatInstances`, without the first dimension."""

    positions: Records  # (axes,) POSITION
    seen: FloatArray  # (views, axes, width)
    own: FloatArray  # (views, columns)
    prices: Records  # (objectives, axes, width) PRICE
    joins: Int32Array  # (objectives,)
    shares: FloatArray  # (objectives,)
    gains: Int32Array  # (tables, axes, width)
    limits: Records  # (scores,) LIMIT
    banned: Int32Array  # (bans, axes + 1)


@kernel
def instance_of(people, p):
    """Take views of the batch's arrays."""
    return Person(
        people.positions[p],
        people.seen[p],
        people.own[p],
        people.prices[p],
        people.joins,
        people.shares[p],
        people.gains[p],
        people.limits[p],
        people.banned[people.first_ban[p] : people.first_ban[p + 1]],
    )
