"""Compare the words and facts that readers see with the policy, and name what no check compares."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from p2ce.testing.stated_policy import SIDES

FORMATS = {"evidence.json": "p2ce.evidence/1", "explanation.json": "p2ce.explanation/2"}
SCALES = ("probability", "decision", "lead")
# The entries that some check compares, by the part and what holds them: "*" is each of a list or mapping.
# Whatever else a file states is listed as not compared.
CHECKED: dict[str, str] = {
    "evidence.json": "format hashes labels grid parts",
    "evidence.json: hashes": "model policy reference model_file",
    "evidence.json: grid.*": "features values",
    "explanation.json": "format columns status person_score person_prediction threshold margin scale models "
    "target counterfactuals certificate objectives error message problem",
    "explanation.json: counterfactuals.*": "number values changes costs score prediction plausibility "
    "admitted_by rounded rounded_score",
    "explanation.json: certificate": "proven unproven_because method plausibility_today none_because cells "
    "axes max_changes ties open_boxes rules checked_rules",
    "explanation.json: problem": "features rules policy basis reviewed_by reviewed_on people hashes settings",
    "explanation.json: problem.features.*": "name kind moves group display",
    "explanation.json: problem.hashes": "model policy reference",
}
ALSO_NOT = (
    "evidence.json: grid (values that the policy does not list)",
    *(f"explanation.json: {name} of rules" for name in SIDES),  # which their text says
    "explainer.p2ce: versions and scores",
)
GIVEN = ("person", "as_of")  # entries of explanation.json that the search is given
INPUTS = (
    "the person's key",
    "the person's row",
    "as_of",
    "policy",
    "settings of the explainer",
    "reference population",
)


@dataclass
class StatedWords:
    """What an explanation tells readers of its problem; every check lists complaints."""

    record: dict[str, Any]  # evidence.json
    given: dict[str, Any]  # explanation.json
    stated: dict[str, Any]  # policy.yaml
    head: dict[str, Any]  # the first part of explainer.p2ce, with the settings
    people: int  # in the reference population

    def __post_init__(self) -> None:
        self.problem, self.certificate = self.given["problem"], self.given["certificate"] or {}

    def names(self) -> list[str]:
        """Compare how features are called and displayed, and how they may move, with the policy."""
        listed, policy = self.problem["features"], self.stated["features"]
        if set(listed) != set(self.given["columns"]) or set(policy) != set(listed):
            return ["other features than the policy's"]
        rules = self.stated.get("rules", [])
        followers = {rule["follower"] for rule in rules if rule["rule"] == "linked"}
        groups = {
            name: rule["name"] for rule in rules if rule["rule"] == "one_hot" for name in rule["columns"]
        }
        broken = []
        for name, feature in listed.items():
            expected = {
                "name": name,
                "kind": policy[name]["kind"],
                "moves": "along" if name in followers else _moves(policy[name]),
                "group": groups.get(name, ""),
                "display": policy[name].get("display", {}),
            }
            broken += [
                f"another {entry} of {name}" for entry in expected if feature[entry] != expected[entry]
            ]
        return broken

    def facts(self) -> list[str]:
        """Compare other statements about the problem with where they come from."""
        stated, problem = self.stated, self.problem
        basis = "inferred" if stated.get("inferred") else "stated"
        is_lead = self.given["scale"] == "lead"
        pairs = {
            "basis": (problem["basis"], "reviewed" if "reviewed_by" in stated else basis),
            "reviewed_by": (problem["reviewed_by"], stated.get("reviewed_by", "")),
            "reviewed_on": (problem["reviewed_on"], str(stated.get("reviewed_on", ""))),
            "people": (problem["people"], self.people),
            "columns": (self.given["columns"], self.head["model"]["columns"]),
            "number of models": (self.given["models"], self.head["model"]["scores"]),
            "scale": (self.given["scale"], self._scale()),
            "error": (self.given["error"], None),
            "message": (self.given["message"], None),
            "versions": (problem["versions"], self.record["versions"]),
            "numbers of options": (
                [option["number"] for option in self.given["counterfactuals"]],
                list(range(1, 1 + len(self.given["counterfactuals"]))),
            ),
        }
        if not is_lead:
            options = self.given["counterfactuals"]
            predictions = {
                one["prediction"] for one in (*options, {"prediction": self.given["person_prediction"]})
            }
            pairs["prediction"] = predictions, {None}
        for name, value in problem["settings"].items():
            if self._is_plain(name):
                pairs[name] = value, self._own(name)
        known = [_without_sides(rule) for rule in problem["rules"]]
        rules = [*self.certificate.get("rules", ()), *self.certificate.get("checked_rules", ())]
        listed = [_without_sides(rule) for rule in rules]
        apart = [rule for rule in listed if rule not in known or listed.count(rule) > known.count(rule)]
        pairs["rules in the certificate"] = apart, []
        forms = {"evidence.json": self.record, "explanation.json": self.given}
        pairs["format"] = {name: part["format"] for name, part in forms.items()}, FORMATS
        return [f"another {name}" for name, (said, found) in pairs.items() if said != found]

    def _own(self, name: str) -> Any:
        """Return a setting of the explainer; where it states no contamination, that is the detector's own."""
        settings = self.head["settings"]
        own, detector = settings.get(name), settings["plausibility"]
        return detector.get(name, {}) if name == "contamination" and own is None and detector else own

    def _is_plain(self, name: str) -> bool:
        return not isinstance(self._own(name), dict)

    def _scale(self) -> Any:
        own = self.head["settings"]["scale"]
        return self.given["scale"] if own is None and self.given["scale"] in SCALES else own

    def not_compared(self, parts: Any) -> tuple[str, ...]:
        """Name what the file states and no check compares."""
        found = [*_unlisted(self.record, "evidence.json"), *_unlisted(self.given, "explanation.json")]
        others = [name for name in self.given["person"] if name not in self.given["columns"]]
        found += [f"explanation.json: person.{name}" for name in others]  # which the model does not see
        if not any(name.startswith("model/") for name in parts) and "model_file" in self.record["hashes"]:
            found.append("evidence.json: hashes.model_file")
        option, certificate = "explanation.json: counterfactuals.*", "explanation.json: certificate"
        if self.given["scale"] == "lead":
            found += [f"{option}.score", f"{option}.rounded_score", "explanation.json: person_score"]
        settings = [name for name in self.problem["settings"] if not self._is_plain(name)]
        found += [f"explanation.json: problem.settings.{name}" for name in settings]
        if self.given["status"] == "NO_RECOURSE":
            found.append(f"{certificate}.none_because")
        if self.certificate and not self.certificate["proven"]:
            found += [f"{certificate}.{name}" for name in ("unproven_because", "open_boxes")]
        files = [name for name in ("readme.txt", "signature.json") if name in parts]
        return (*dict.fromkeys([*found, *ALSO_NOT, *files]),)


def _moves(entry: dict[str, Any]) -> str:
    if not entry.get("may_change", not entry.get("protected", False)):
        return "protected" if entry.get("protected") else "fixed"
    direction: str = entry.get("direction", "either")
    return direction


def _without_sides(rule: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in rule.items() if key not in SIDES}


def _unlisted(entry: Any, place: str) -> Iterator[str]:
    """Name the entries that are not in the list of what is checked."""
    if entry is None:
        return
    if isinstance(entry, list) or f"{place}.*" in CHECKED:
        each = entry if isinstance(entry, list) else entry.values()
        for one in each:
            yield from _unlisted(one, f"{place}.*")
    elif place in CHECKED:
        known, joint = CHECKED[place].split(), "." if ":" in place else ": "
        for name, held in entry.items():
            if name in known:
                yield from _unlisted(held, f"{place}{joint}{name}")
            elif name not in GIVEN or place != "explanation.json":
                yield f"{place}{joint}{name}"
