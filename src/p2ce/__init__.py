"""Find everything a rejected applicant could change to be accepted: every Pareto-optimal, plausible option.

The certificate of each explanation names the grid on which that is proven.

The top level holds what users call. The modules hold the rest:

* `p2ce.result`: the results
* `p2ce.errors`: the exceptions
* `p2ce.objectives`: measures of change
* `p2ce.rules`: rules between features
* `p2ce.portfolio`: explanations of whole files
* `p2ce.evidence`: records from which an explanation can be repeated
* `p2ce.datasets`: data to try it on
* `p2ce.extend`: what authors of objectives, rules, detectors and model families import
* `p2ce.testing`: checks of these
* `p2ce.paper`: the paper's algorithms
"""

from importlib.metadata import version
from typing import TYPE_CHECKING

from p2ce.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from p2ce import datasets as datasets
    from p2ce import errors as errors
    from p2ce import evidence as evidence
    from p2ce import extend as extend
    from p2ce import objectives as objectives
    from p2ce import paper as paper
    from p2ce import portfolio as portfolio
    from p2ce import result as result
    from p2ce import rules as rules
    from p2ce import testing as testing
    from p2ce.base.limits import Limits as Limits
    from p2ce.base.plugins import register as register
    from p2ce.engine.solver.fronts import Progress as Progress
    from p2ce.errors import P2CEError as P2CEError
    from p2ce.explainer import Explainer as Explainer
    from p2ce.models.detectors.plausibility_forest import PlausibilityForest as PlausibilityForest
    from p2ce.models.estimates.shap_estimate import ShapEstimate as ShapEstimate
    from p2ce.policy import Display as Display
    from p2ce.policy import Policy as Policy
    from p2ce.portfolio.audits.audit_groups import audit as audit
    from p2ce.portfolio.audits.audit_result import Audit as Audit
    from p2ce.present.charts import plot_changes as plot_changes
    from p2ce.present.charts import plot_costs as plot_costs
    from p2ce.present.charts import plot_front as plot_front
    from p2ce.present.charts import plot_groups as plot_groups
    from p2ce.present.charts import plot_levers as plot_levers
    from p2ce.present.charts import plot_map as plot_map
    from p2ce.present.render import to_html as to_html
    from p2ce.present.render import to_markdown as to_markdown
    from p2ce.present.render import to_text as to_text
    from p2ce.result import Explanation as Explanation
    from p2ce.result import Explanations as Explanations
    from p2ce.result import Near as Near
    from p2ce.result import Points as Points
    from p2ce.result import Status as Status

# The same names at run time, each loaded when it is first used, so `p2ce --help` loads no pandas.
_NAMES = {
    "": "datasets errors evidence extend objectives paper portfolio result rules testing",  # modules
    "portfolio.audits.audit_groups": "audit",
    "portfolio.audits.audit_result": "Audit",
    "models.detectors.plausibility_forest": "PlausibilityForest",
    "errors": "P2CEError",
    "models.estimates.shap_estimate": "ShapEstimate",
    "explainer": "Explainer",
    "base.limits": "Limits",
    "base.plugins": "register",
    "present.charts": "plot_changes plot_costs plot_front plot_groups plot_levers plot_map",
    "present.render": "to_html to_markdown to_text",
    "policy": "Policy Display",
    "result": "Explanation Explanations Near Points Status",
    "engine.solver.fronts": "Progress",
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}

__version__ = version("p2ce")
__all__ = sorted(_HOMES)
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
