"""State how the paper's algorithms run: what they leave open is a setting, what they misprint another."""

from dataclasses import dataclass
from typing import ClassVar

from p2ce.errors import InvalidArgument, not_a_choice
from p2ce.visible import echoed
from p2ce.whole_numbers import check_count, check_seed

AS_PRINTED, CORRECTED = "as printed", "corrected"
CHOICES: dict[str, tuple[str | None, ...]] = {
    "order": ("importance", "index"),
    "bound": ("auto", "shap", "tree", "monotone", None),
    "form": ("k-limited", "plain"),
    "at": ("partial", "person"),
    "explainer": ("auto", "tree", "deep", "kernel", "permutation", "sampling"),
    "errata": (CORRECTED, AS_PRINTED),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapocam:
    """Alg. 1 of the paper, MAPOCAM: `Explainer(..., method=p2ce.paper.Mapocam())`.

    Args:
        order: in which features are decided: "importance", the mean magnitude of their SHAP values, as in the
            authors' code (the paper does not say), or "index", the model's own order of columns.
        bound: what stands for the maximum prediction f̄: "shap" is the paper's estimate, "tree" takes the
            larger side of every split on an open feature, "monotone" sets the open features of an additive
            model to their best candidates. None prunes by cost and number of changes alone. "auto" is what
            the paper's experiments did: "monotone" for additive models, "tree" for tree ensembles, and None
            for others.
        form: of the SHAP bound: "k-limited" counts as many open features as may still change, "plain" all.
        at: where SHAP values are computed: at every "partial" solution, or once, at the "person".
        explainer: "tree" (interventional, on the reported scale), "deep", or one that only evaluates the
            model: "kernel" and "permutation" of the shap package, and our own "sampling". "auto" is "tree"
            for tree ensembles and "deep" for networks, as in the paper, else "sampling".
        background: rows of the reference for the explainer. Its largest values over these rows are φ̄, as
            in the authors' code; the paper speaks of a large data set.
        errata: "corrected", or the algorithm "as printed", which may miss options. (What it would return
            beyond your limits, or dominated, is not shown.)
        random_state: seed of the background; by default that of the explainer.

    >>> Mapocam(bound="tree").plausible
    False
    """

    order: str = "importance"
    bound: str | None = "auto"
    form: str = "k-limited"
    at: str = "partial"
    explainer: str = "auto"
    background: int = 100
    errata: str = CORRECTED
    random_state: int | None = None

    plausible: ClassVar[bool] = False  # whether counterfactuals have to be plausible

    def __post_init__(self) -> None:
        for name, known in CHOICES.items():
            given = getattr(self, name)
            if not isinstance(given, str | None) or given not in known:
                raise not_a_choice(name, given, known)
        check_count("background", self.background, "reference rows")
        check_seed(self.random_state)

    @property
    def name(self) -> str:
        """What certificates call it."""
        return "mapocam"


@dataclass(frozen=True, slots=True, kw_only=True)
class P2CE(Mapocam):
    """Alg. 2 of the paper, P²CE: `Explainer(..., method=p2ce.paper.P2CE())`.

    The settings are those of `Mapocam`, where ``bound="auto"`` is "monotone" for additive models and "shap"
    for all others, and one more. ``partial_plausibility`` is the test of lines 20 and 21; without it, this is
    the paper's ablation, which certificates call "p2ce-ablation". The test takes a detector of trees.

    >>> P2CE(partial_plausibility=False).name
    'p2ce-ablation'
    """

    partial_plausibility: bool = True

    plausible: ClassVar[bool] = True

    def __post_init__(self) -> None:
        Mapocam.__post_init__(self)  # no super(): a dataclass with slots is made twice
        if not isinstance(self.partial_plausibility, bool):
            raise InvalidArgument(
                f"partial_plausibility is True or False; got {echoed(self.partial_plausibility)}."
            )

    @property
    def name(self) -> str:
        return "p2ce" if self.partial_plausibility else "p2ce-ablation"
