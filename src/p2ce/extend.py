"""Everything that authors of objectives, rules, detectors and model families import.

This module and the public names of `p2ce`, `p2ce.errors` and `p2ce.testing` are the whole interface for
plug-ins. Every other module is private, whatever its name: it may move or change in any release. The page
"Extend p2ce" of the documentation has a worked example of each kind.

* An **objective** is an `Objective`: ``fit`` returns a `FittedObjective` that prices changes. Pass it as
  ``Explainer(objectives=[…])``.
* A **rule** is a `Rule`: `Budget` objects prune the search, ``holds`` judges rows. Pass it to
  ``Policy.with_rules``.
* A **detector** or a **model** of a new class needs a `Family`: ``recognises(model)`` and
  ``parse(model, request)``. A model family returns a `ParsedModel`. Its margins are trees (`ForestMargins`),
  weighted sums (`WeightedSums`) or a network (`NetworkOutputs`). A detector family returns an `Adapter`: with
  a proven score (`FlatScore`), or from `black_box_detector`. If a family recognises an object but does not
  support it, ``parse`` raises `UnsupportedModel` or `UnsupportedDetector`. The object is then a black box.

* A **transformer** in front of a model is supported natively if it works on one column at a time.
  `columnwise` declares this of a class, or of a function.

`register` adds a family to the current process. A package registers itself by an entry point, so users need
not import it, and worker processes find it too:

    [project.entry-points."p2ce.model_families"]
    my_library = "my_package.my_family"

    [project.entry-points."p2ce.detectors"]
    my_detector = "my_package.my_detector"

All of them work on *codes* (`Codebook`, `Coding`): a number is its own code, a category is the rank of its
label, and a missing value is `MISSING`, which is −inf. Trees send a row left if its code is at most the
threshold in float64. `cut_of_float32_at_most` and `cut_of_float32_below` translate other comparisons.

`check_objective`, `check_rule`, `check_detector` and `check_model` test a plug-in. A failed check raises an
AssertionError that says what was expected, what came instead, and what to do.
"""

from typing import TYPE_CHECKING

from p2ce.base.arrays import BoolArray as BoolArray
from p2ce.base.arrays import FloatArray as FloatArray
from p2ce.base.arrays import IntArray as IntArray
from p2ce.base.lazy_names import lazy_names
from p2ce.base.plugins import Family as Family
from p2ce.base.plugins import register as register
from p2ce.base.plugins import unregister as unregister
from p2ce.engine.grid.placement import Join as Join
from p2ce.engine.scores.error_bands import exactly as exactly
from p2ce.engine.scores.error_bands import exponential as exponential
from p2ce.engine.scores.error_bands import summation_error as summation_error
from p2ce.engine.scores.network.network_layers import Layer as Layer
from p2ce.engine.scores.network.network_rounding import DOUBLE as DOUBLE
from p2ce.engine.scores.network.network_rounding import SINGLE as SINGLE
from p2ce.engine.scores.score import FlatScore as FlatScore
from p2ce.engine.scores.score import seen_as_given as seen_as_given
from p2ce.engine.scores.score import seen_in_single as seen_in_single
from p2ce.engine.scores.trees.cuts import cut_of_float32_at_most as cut_of_float32_at_most
from p2ce.engine.scores.trees.cuts import cut_of_float32_below as cut_of_float32_below
from p2ce.engine.scores.trees.steps import Steps as Steps
from p2ce.engine.scores.trees.steps import steps_of_codes as steps_of_codes
from p2ce.engine.scores.trees.steps import steps_of_cut as steps_of_cut
from p2ce.engine.scores.trees.tree_nodes import TreeNodes as TreeNodes
from p2ce.errors import UnsupportedDetector as UnsupportedDetector
from p2ce.errors import UnsupportedModel as UnsupportedModel
from p2ce.models.contract.forest_margins import ForestMargin as ForestMargin
from p2ce.models.contract.forest_margins import ForestMargins as ForestMargins
from p2ce.models.contract.forest_margins import forest_of as forest_of
from p2ce.models.contract.margins import IDENTITY as IDENTITY
from p2ce.models.contract.margins import ClassOutputs as ClassOutputs
from p2ce.models.contract.margins import NumberOutput as NumberOutput
from p2ce.models.contract.margins import OutputLink as OutputLink
from p2ce.models.contract.margins import ParsedModel as ParsedModel
from p2ce.models.contract.margins import logistic_link as logistic_link
from p2ce.models.contract.network_outputs import NetworkOutputs as NetworkOutputs
from p2ce.models.contract.weighted_sums import WeightedSums as WeightedSums
from p2ce.models.decisions.adapter import Adapter as Adapter
from p2ce.models.decisions.adapter import ParseRequest as ParseRequest
from p2ce.models.decisions.row_format import columns_by_count as columns_by_count
from p2ce.models.decisions.row_format import columns_by_name as columns_by_name
from p2ce.models.detectors.black_box_detector import black_box_detector as black_box_detector
from p2ce.models.fitted import require_numbers as require_numbers
from p2ce.models.preprocessing.columnwise import columnwise as columnwise
from p2ce.objectives.objective import FittedObjective as FittedObjective
from p2ce.objectives.objective import Objective as Objective
from p2ce.objectives.objective import Reference as Reference
from p2ce.policy.rules.rule import Budget as Budget
from p2ce.policy.rules.rule import Codes as Codes
from p2ce.policy.rules.rule import IfChanged as IfChanged
from p2ce.policy.rules.rule import Rule as Rule
from p2ce.policy.rules.rule import check_columns as check_columns
from p2ce.policy.rules.rule import reject_categories as reject_categories
from p2ce.tables.codebook import MISSING as MISSING
from p2ce.tables.codebook import Codebook as Codebook
from p2ce.tables.codebook import Coding as Coding

if TYPE_CHECKING:
    from p2ce.testing.check_detector import check_detector as check_detector
    from p2ce.testing.check_model import check_adapter as check_adapter
    from p2ce.testing.check_model import check_model as check_model
    from p2ce.testing.check_objective import check_objective as check_objective
    from p2ce.testing.check_rule import check_rule as check_rule

# The checks load the explainer and Numba, so they are loaded when they are first used.
_CHECKS = ("check_adapter", "check_detector", "check_model", "check_objective", "check_rule")
__all__ = sorted(
    {name for name in globals() if not name.startswith("_")} - {"TYPE_CHECKING", "lazy_names"} | {*_CHECKS}
)
__getattr__, __dir__ = lazy_names(__name__, dict.fromkeys(_CHECKS, "testing"))
