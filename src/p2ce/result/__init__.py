"""Hold the answers: frozen, plain data that needs neither the model nor the search to be read."""

from p2ce.result.certificate import Certificate
from p2ce.result.counterfactual import Counterfactual
from p2ce.result.explanation import Explanation
from p2ce.result.explanations import Explanations
from p2ce.result.judgement import Judgement
from p2ce.result.status import Status

__all__ = ["Certificate", "Counterfactual", "Explanation", "Explanations", "Judgement", "Status"]
