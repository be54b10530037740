"""Settings of the paper's algorithms: what the paper leaves open, and whether its errata are corrected."""

from dataclasses import dataclass
from typing import ClassVar

from p2ce.base.visible import echoed
from p2ce.base.whole_numbers import check_count, check_seed
from p2ce.errors import InvalidArgument, not_a_choice

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
        order: the order in which features are decided. "importance" sorts them by the mean magnitude of their
            SHAP values, as in the authors' code (the paper does not specify it). "index" keeps the order of
            the model's columns.
        bound: how the maximum prediction f̄ is computed. "shap" is the paper's estimate. "tree" takes the
            larger side of every split on an open feature. "monotone" sets the open features of an additive
            model to their best candidates. None prunes only by cost and number of changes. "auto" does what
            the paper's experiments did: "monotone" for additive models, "tree" for tree ensembles, and None
            for other models.
        form: the form of the SHAP bound. "k-limited" counts as many open features as may still change,
            "plain" counts all of them.
        at: where SHAP values are computed: at every "partial" solution, or once, at the "person".
        explainer: how SHAP values are computed. "tree" (interventional, on the reported scale) and "deep"
            use the structure of the model. "kernel" and "permutation", of the shap package, and "sampling",
            of p2ce, only evaluate the model. "auto" is "tree" for tree ensembles and "deep" for networks, as
            in the paper, and "sampling" for other models.
        background: the number of reference rows for the explainer. φ̄ is its largest value over these rows,
            as in the authors' code; the paper mentions a large data set.
        errata: "corrected", or "as printed", which may miss options. Points that the printed algorithm would
            return although they are dominated, or have too many changes, are not shown.
        random_state: the seed of the background. None uses the seed of the explainer.

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

    plausible: ClassVar[bool] = False  # whether counterfactuals must be plausible

    def __post_init__(self) -> None:
        for name, known in CHOICES.items():
            given = getattr(self, name)
            if not isinstance(given, str | None) or given not in known:
                raise not_a_choice(name, given, known)
        check_count("background", self.background, "reference rows")
        check_seed(self.random_state)

    @property
    def name(self) -> str:
        """The name of the algorithm in certificates."""
        return "mapocam"


@dataclass(frozen=True, slots=True, kw_only=True)
class P2CE(Mapocam):
    """Alg. 2 of the paper, P²CE: `Explainer(..., method=p2ce.paper.P2CE())`.

    It has the settings of `Mapocam`, but ``bound="auto"`` is "monotone" for additive models and "shap" for
    all others. One more setting, ``partial_plausibility``, switches the test of lines 20 and 21, which needs
    a tree-based detector. Without this test, the algorithm is the paper's ablation, "p2ce-ablation" in
    certificates.

    >>> P2CE(partial_plausibility=False).name
    'p2ce-ablation'
    """

    partial_plausibility: bool = True

    plausible: ClassVar[bool] = True

    def __post_init__(self) -> None:
        Mapocam.__post_init__(self)  # super() fails here, since a dataclass with slots is created twice
        if not isinstance(self.partial_plausibility, bool):
            raise InvalidArgument(
                f"partial_plausibility must be True or False; got {echoed(self.partial_plausibility)}."
            )

    @property
    def name(self) -> str:
        return "p2ce" if self.partial_plausibility else "p2ce-ablation"
