"""Show the idea with two features: the nearest accepted point is implausible, a plausible one is found."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KernelDensity
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import p2ce
from benchmarks.paper.report.looks import FIGURE_STYLE
from benchmarks.paper.settings import CONTAMINATION
from p2ce.arrays import FloatArray

FIRST, SECOND = "First feature", "Second feature"
ROWS, BANDWIDTH, STEP = 600, 0.25, 0.1
CAPTION = (
    "Two features, and people who live on an arc. Left: a kernel density estimate of the data; the dashed "
    "line encloses what counts as plausible (95 % of the people). Right: the model accepts what lies on the "
    "shaded side. Seen from the refused person (black dot), the nearest accepted point (triangle, {near:.2f} "
    "standard deviations away) lies in the empty middle, where nobody lives. The nearest plausible one "
    "(square, {far:.2f}) is farther away and can be reached. Both are proven on the same grid, with steps "
    "of {step}."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Toy:
    """The answers for one person: the nearest accepted point, and the nearest one that is plausible too."""

    person: tuple[float, float]
    nearest: tuple[float, float]
    plausible: tuple[float, float]
    nearest_distance: float
    plausible_distance: float
    caption: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class World:
    """The data, the model and the density of the toy."""

    rows: pd.DataFrame
    model: LogisticRegression
    density: KernelDensity
    plausible_from: float  # log density

    def on(self, first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The model's score and the log density on a mesh."""
        mesh = pd.DataFrame({FIRST: first.ravel(), SECOND: second.ravel()})
        score = self.model.predict_proba(mesh)[:, 1]
        logs = self.density.score_samples(mesh)
        return score.reshape(first.shape), logs.reshape(first.shape)


def make_world(seed: int = 0) -> World:
    """People along an arc; those at its right end were accepted."""
    rng = np.random.default_rng(seed)
    angle = rng.uniform(-0.15, 1.15, ROWS) * np.pi
    around = np.column_stack([-np.cos(angle), np.sin(angle)]) * 2.0 + 3.0
    rows = pd.DataFrame(around + rng.normal(0.0, 0.22, (ROWS, 2)), columns=[FIRST, SECOND])
    accepted = (rows[FIRST] + rng.normal(0.0, 0.25, ROWS) > 3.6).astype(int)
    density = KernelDensity(bandwidth=BANDWIDTH).fit(rows)
    return World(
        rows=rows,
        model=make_pipeline(StandardScaler(), LogisticRegression()).fit(rows, accepted),
        density=density,
        plausible_from=float(np.quantile(density.score_samples(rows), CONTAMINATION)),
    )


def solve(world: World) -> Toy:
    """Ask for the nearest point (Euclidean, as in the paper's figure), with and without plausibility."""
    # Someone on the left leg, with others around.
    legs = world.rows[world.rows[FIRST].between(1.0, 1.6) & world.rows[SECOND].between(3.5, 3.9)]
    person = legs.iloc[world.density.score_samples(legs).argmax()]
    actions = p2ce.ActionSet.infer(world.rows).step({FIRST: STEP, SECOND: STEP})
    found = {}
    for name, detector in (("nearest", None), ("plausible", world.density)):
        explainer = p2ce.Explainer(
            world.model,
            world.rows,
            actions=actions,
            objectives=p2ce.Euclidean(unit="std"),
            max_changes=None,
            plausibility=detector,
            contamination=None if detector is None else CONTAMINATION,
        )
        found[name] = explainer.explain(person)
        assert found[name].status is p2ce.Status.OPTIMAL
    points = {name: (e[0].values[FIRST], e[0].values[SECOND]) for name, e in found.items()}
    distance = {name: e[0].costs["euclidean"] for name, e in found.items()}
    return Toy(
        person=(float(person[FIRST]), float(person[SECOND])),
        **points,
        nearest_distance=distance["nearest"],
        plausible_distance=distance["plausible"],
        caption=CAPTION.format(near=distance["nearest"], far=distance["plausible"], step=STEP),
    )


def draw(world: World, toy: Toy, folder: Path) -> None:
    """Write toy.png and toy.svg."""
    with matplotlib.rc_context(FIGURE_STYLE | {"backend": "Agg"}):
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8, 4), layout="constrained")
        left, right = figure.subplots(1, 2, sharex=True, sharey=True)
        low, high = world.rows.min() - 0.5, world.rows.max() + 0.5
        first, second = np.meshgrid(
            np.linspace(low[FIRST], high[FIRST], 200), np.linspace(low[SECOND], high[SECOND], 200)
        )
        score, logs = world.on(first, second)

        left.contourf(first, second, np.exp(logs), levels=12, cmap="Blues")
        left.scatter(world.rows[FIRST], world.rows[SECOND], s=4, color="0.25", alpha=0.5, linewidths=0)
        left.set_title("Where people live (kernel density)")

        right.contourf(first, second, score, levels=[0.5, 1.0], colors=["#dbeede"])
        right.contour(first, second, score, levels=[0.5], colors="#2e7d4f", linewidths=1.5)
        right.scatter(world.rows[FIRST], world.rows[SECOND], s=4, color="0.6", linewidths=0)
        marks = (
            (toy.person, "o", "black", "refused person"),
            (toy.nearest, "^", "#d55e00", "nearest accepted: implausible"),
            (toy.plausible, "s", "#0072b2", "nearest plausible"),
        )
        for end, marker, colour, label in marks:
            if end != toy.person:
                right.annotate(
                    "",
                    end,
                    toy.person,
                    arrowprops={"arrowstyle": "->", "color": colour, "shrinkA": 5, "shrinkB": 6, "lw": 1.6},
                )
            right.scatter(*end, marker=marker, s=75, color=colour, edgecolors="white", zorder=5, label=label)
        right.set_title("What could this person change?")
        right.text(high[FIRST] - 0.1, low[SECOND] + 0.1, "accepted", color="#2e7d4f", ha="right")
        figure.legend(loc="outside lower center", ncols=3, frameon=False)
        for axes in (left, right):
            axes.contour(
                first,
                second,
                logs,
                levels=[world.plausible_from],
                colors="0.2",
                linestyles="--",
                linewidths=1,
            )
            axes.set_xlabel(FIRST)
            axes.set_aspect("equal")
        left.set_ylabel(SECOND)
        folder.mkdir(parents=True, exist_ok=True)
        figure.savefig(folder / "toy.png", dpi=200)
        figure.savefig(folder / "toy.svg", metadata={"Date": None})


def write_toy(report: Path) -> Toy:
    """Solve the toy, draw it, and keep its numbers."""
    world = make_world()
    toy = solve(world)
    draw(world, toy, report / "figures")
    results = report / "results"
    results.mkdir(parents=True, exist_ok=True)
    (results / "toy.json").write_text(json.dumps(asdict(toy), indent=1), encoding="utf-8")
    return toy
