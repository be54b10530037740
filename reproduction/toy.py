"""Draw Figure 1: MAPOCAM returns an outlier, and P²CE the nearest point that is not an outlier."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KernelDensity
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import p2ce
import p2ce.paper
from p2ce.base.arrays import FloatArray
from reproduction.report.figures import STYLE
from reproduction.settings import CONTAMINATION

FIRST, SECOND = "First feature", "Second feature"
ROWS, BANDWIDTH, STEP = 600, 0.25, 0.1
CAPTION = (
    "Two features that grow together. Left: a kernel density estimate of the data, as in the paper's "
    "Figure 1. Right: the model accepts the shaded side, and the dashed line encloses the inliers of the "
    "isolation forest (95 % of the people). For the rejected person (black dot), MAPOCAM (Alg. 1, triangle) "
    "finds the nearest accepted point, {near:.2f} standard deviations away, which is an outlier. P²CE "
    "(Alg. 2, square) finds the nearest accepted inlier, {far:.2f} away. Both search the same grid, with "
    "steps of {step}, for the Euclidean distance. The paper's own data are not published."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearest:
    """The result of one algorithm."""

    point: tuple[float, float]
    distance: float  # Euclidean, in standard deviations
    outlier: bool  # to the isolation forest


@dataclass(frozen=True, slots=True, kw_only=True)
class Toy:
    """The results of both algorithms for one person."""

    person: tuple[float, float]
    mapocam: Nearest
    p2ce: Nearest
    caption: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class World:
    """The data, the model, the detector, and the density."""

    rows: pd.DataFrame
    model: Pipeline
    detector: IsolationForest
    density: KernelDensity

    def on(self, first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the model's score, the detector's (below 0 for outliers) and the density on a mesh."""
        mesh = pd.DataFrame({FIRST: first.ravel(), SECOND: second.ravel()})
        values = mesh.to_numpy()
        score = self.model.predict_proba(mesh)[:, 1]
        inlier = self.detector.decision_function(values)
        density = np.exp(self.density.score_samples(values))
        return score.reshape(first.shape), inlier.reshape(first.shape), density.reshape(first.shape)


def make_world(seed: int = 0) -> World:
    """Build data whose two features grow together, and whose first one decides."""
    rng = np.random.default_rng(seed)
    along = rng.uniform(1.0, 5.0, ROWS)
    rows = pd.DataFrame(along[:, None] + rng.normal(0.0, 0.25, (ROWS, 2)), columns=[FIRST, SECOND])
    accepted = (rows[FIRST] + rng.normal(0.0, 0.05, ROWS) > 3.6).astype(int)
    values = rows.to_numpy()
    return World(
        rows=rows,
        model=make_pipeline(StandardScaler(), LogisticRegression(C=1000.0)).fit(rows, accepted),
        detector=IsolationForest(contamination=CONTAMINATION, random_state=seed).fit(values),
        density=KernelDensity(bandwidth=BANDWIDTH).fit(values),
    )


def solve(world: World) -> Toy:
    """Find the nearest point with both algorithms (Euclidean, as in the paper's figure)."""
    # A person on the left, in a dense region.
    left = world.rows[world.rows[FIRST].between(1.6, 2.0)]
    person = left.iloc[world.density.score_samples(left.to_numpy()).argmax()]
    policy = p2ce.Policy.infer(world.rows).step({FIRST: STEP, SECOND: STEP})
    found = {}
    for name, method in (("mapocam", p2ce.paper.Mapocam()), ("p2ce", p2ce.paper.P2CE())):
        explainer = p2ce.Explainer(
            world.model,
            world.rows,
            target=1,
            policy=policy,
            objectives=p2ce.objectives.Euclidean(unit="std"),
            max_changes=2,
            plausibility=p2ce.PlausibilityForest(contamination=CONTAMINATION, random_state=0),
            method=method,
        )
        explanation = explainer.explain(person)
        point = explanation[0].values[FIRST], explanation[0].values[SECOND]
        found[name] = Nearest(
            point=point,
            distance=explanation[0].costs["euclidean"],
            outlier=bool(world.detector.decision_function([point])[0] < 0),
        )
    return Toy(
        person=(float(person[FIRST]), float(person[SECOND])),
        **found,
        caption=CAPTION.format(near=found["mapocam"].distance, far=found["p2ce"].distance, step=STEP),
    )


def draw(world: World, toy: Toy, folder: Path) -> None:
    """Write toy.png and toy.svg."""
    with matplotlib.rc_context(STYLE):
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8, 4), layout="constrained")
        left, right = figure.subplots(1, 2, sharex=True, sharey=True)
        low, high = world.rows.min() - 0.5, world.rows.max() + 0.5
        first, second = np.meshgrid(
            np.linspace(low[FIRST], high[FIRST], 200), np.linspace(low[SECOND], high[SECOND], 200)
        )
        score, inlier, density = world.on(first, second)

        left.contourf(first, second, density, levels=12, cmap="Blues")
        left.scatter(world.rows[FIRST], world.rows[SECOND], s=4, color="0.25", alpha=0.5, linewidths=0)
        left.set_title("The data (kernel density)")

        right.contourf(first, second, score, levels=[0.5, 1.0], colors=["#dbeede"])
        right.contour(first, second, score, levels=[0.5], colors="#2e7d4f", linewidths=1.5)
        right.scatter(world.rows[FIRST], world.rows[SECOND], s=4, color="0.6", linewidths=0)
        marks = (
            (toy.person, "o", "black", "rejected person"),
            (toy.mapocam.point, "^", "#d55e00", "MAPOCAM: nearest, an outlier"),
            (toy.p2ce.point, "s", "#0072b2", "P²CE: nearest inlier"),
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
        right.set_title("Two counterfactuals for one person")
        right.text(high[FIRST] - 0.1, low[SECOND] + 0.15, "accepted", color="#2e7d4f", ha="right")
        figure.legend(loc="outside lower center", ncols=3, frameon=False)
        right.contour(first, second, inlier, levels=[0.0], colors="0.2", linestyles="--", linewidths=1)
        for axes in (left, right):
            axes.set_xlabel(FIRST)
            axes.set_aspect("equal")
        left.set_ylabel(SECOND)
        folder.mkdir(parents=True, exist_ok=True)
        figure.savefig(folder / "toy.png", dpi=200)
        figure.savefig(folder / "toy.svg", metadata={"Date": None})


def write_toy(report: Path) -> Toy:
    """Solve the toy problem, draw it, and write its numbers."""
    world = make_world()
    toy = solve(world)
    draw(world, toy, report / "figures")
    results = report / "results"
    results.mkdir(parents=True, exist_ok=True)
    (results / "toy.json").write_text(json.dumps(asdict(toy), indent=1), encoding="utf-8")
    return toy
