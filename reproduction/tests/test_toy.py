"""In the toy problem MAPOCAM returns an outlier, and P²CE the nearest inlier."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import p2ce
from reproduction.toy import FIRST, SECOND, STEP, Toy, World, draw, make_world, solve


@pytest.fixture(scope="module")
def world() -> World:
    return make_world()


@pytest.fixture(scope="module")
def toy(world: World) -> Toy:
    return solve(world)


def test_only_one_of_the_two_results_is_an_inlier(world: World, toy: Toy) -> None:
    for point, is_inlier in ((toy.person, True), (toy.mapocam.point, False), (toy.p2ce.point, True)):
        score, inlier, _ = world.on(*(np.array([value]) for value in point))
        assert (score[0] >= 0.5) == (point != toy.person)
        assert (inlier[0] >= 0) == is_inlier
    assert (toy.mapocam.outlier, toy.p2ce.outlier) == (True, False)
    assert toy.mapocam.distance < toy.p2ce.distance


def test_no_point_of_the_grid_is_nearer(world: World, toy: Toy) -> None:
    policy = p2ce.Policy.infer(world.rows).step({FIRST: STEP, SECOND: STEP})
    axes = [
        np.append(feature.candidates(), now) for feature, now in zip(policy.features, toy.person, strict=True)
    ]
    first, second = np.meshgrid(*axes)
    score, inlier, _ = world.on(first, second)
    deviation = world.rows.to_numpy().std(axis=0)
    apart = np.hypot((first - toy.person[0]) / deviation[0], (second - toy.person[1]) / deviation[1])
    accepted = score >= 0.5
    assert apart[accepted].min() == pytest.approx(toy.mapocam.distance)
    assert apart[accepted & (inlier >= 0)].min() == pytest.approx(toy.p2ce.distance)


def test_the_figure_is_drawn_the_same_every_time(world: World, toy: Toy, tmp_path: Path) -> None:
    draw(world, toy, tmp_path / "one")
    draw(world, toy, tmp_path / "two")
    for name in ("toy.png", "toy.svg"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_the_world_is_the_same_for_the_same_seed(world: World) -> None:
    pd.testing.assert_frame_equal(make_world().rows, world.rows)
    assert not make_world(seed=1).rows.equals(world.rows)
