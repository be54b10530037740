"""Compare the claims of an evidence file about itself and the problem with its content; list the rest."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import yaml

from p2ce.portfolio.evidence.independent.stated_model import StatedModel
from p2ce.portfolio.evidence.independent.stated_policy import SIDES, Unchecked, parsed
from p2ce.portfolio.evidence.independent.stated_reference import StatedReference

PROVES = {"OPTIMAL": True, "NO_RECOURSE": True, "HEURISTIC": False, "TIME_LIMIT": False}
FAVOURABLE = "ACCEPTED"
FORMATS = {"evidence.json": "p2ce.evidence/1", "explanation.json": "p2ce.explanation/2"}
SCALES = ("probability", "decision", "lead")
# The entries that a check compares, by part and parent. "*" is each entry of a list or mapping.
# All other statements of a file are listed as not compared.
CHECKED: dict[str, str] = {
    "evidence.json": "format hashes labels grid parts",
    "evidence.json: hashes": "model policy reference model_file",
    "evidence.json: grid.*": "features values",
    "explanation.json": "format columns status person_score person_prediction at_least at_most margin scale "
    "models target counterfactuals certificate objectives error message problem",
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
    *(f"explanation.json: {name} of rules" for name in SIDES),  # their text states it
    "explainer.p2ce: versions and scores",
)
LIMITS = "limits"  # of this person, an input of the search
GIVEN = ("person", "as_of")  # entries of explanation.json that are inputs of the search
INPUTS = (
    "the person's id",
    "the person's row",
    "as_of",
    "policy",
    "settings of the explainer",
    "reference population",
)


@dataclass
class StatedClaims:
    """The claims of an evidence file except its options. Every check returns a list of complaints."""

    parts: dict[str, bytes]
    record: dict[str, Any]  # evidence.json
    given: dict[str, Any]  # explanation.json
    stated: dict[str, Any]  # policy.yaml
    archive: dict[str, bytes]  # the parts of explainer.p2ce
    head: dict[str, Any]  # its first part, with the settings
    judge: StatedModel

    def __post_init__(self) -> None:
        self.problem, self.certificate = self.given["problem"], self.given["certificate"] or {}
        self.reference = StatedReference(self.archive)

    def checksums(self) -> list[str]:
        """Compare every part with its listed SHA-256."""
        found = {name: _sha256(content) for name, content in self.parts.items()}
        listed = {**self.record["parts"], "evidence.json": found["evidence.json"]}
        if "signature.json" in found:  # it lists all other parts itself
            listed["signature.json"] = found["signature.json"]
        return [f"{name} was changed" for name in {**listed, **found} if found.get(name) != listed.get(name)]

    def hashes(self) -> list[str]:
        """Compare both lists of hashes with each other, and with recomputed hashes."""
        listed, own = self.record["hashes"], self.problem["hashes"]
        broken = [f"two hashes of the {name}" for name in own if listed.get(name) != own[name]]
        found = {"policy": _sha256(self.parts["policy.yaml"])}
        for name, part in self.parts.items():
            if name.startswith("model/"):
                found["model_file"] = _sha256(part)
        why = ""
        try:
            found["reference"] = self.reference.fingerprint
        except Unchecked as reason:
            why = f"reference: {reason}"
        broken += [f"the hash belongs to another {name}" for name in found if listed.get(name) != found[name]]
        if not broken and listed["model"] != self.head["model"]["fingerprint"]:
            why = "the explainer has another hash of the model, perhaps from rounding on another machine"
        if why and not broken:
            raise Unchecked(why)
        return broken

    def policy(self) -> list[str]:
        """Compare the policy with that of the explanation, then with that of the explainer."""
        content, problem = self.parts["policy.yaml"], self.problem
        rules = [_without_sides(rule) for rule in problem["rules"]]
        if content.decode() != problem["policy"] or rules != self.stated.get("rules", []):
            return ["policy.yaml is another policy"]
        if content != self.archive["policy.yaml"] and self.stated != self._own_policy():
            raise Unchecked("it is not the explainer's policy, so it must have been passed for this person")
        return []

    def _own_policy(self) -> Any:
        """Read the explainer's policy. The reference fills in whether a one-hot group may be all zero."""
        policy = yaml.safe_load(self.archive["policy.yaml"])
        for rule in policy.get("rules", []):
            if rule["rule"] == "one_hot" and "may_be_none" not in rule:
                levels = np.array([self.reference.numbers(name) for name in rule["columns"]])
                rule["may_be_none"] = bool((levels == 0).all(axis=0).any())
        return policy

    def settings(self) -> list[str]:
        """Compare the stated settings with those of the explainer, or else with the defaults."""
        then, now = self.head["settings"], {**self.given, **self.certificate}
        names = [name for name in ("margin", "method", "ties") if name in now]
        if isinstance(then["method"], dict) and now.get("method") != "exact":
            names = [
                name for name in names if name != "method"
            ]  # an algorithm of the paper has its own settings
        broken = [f"another {name}" for name in names if now[name] != then[name]]
        broken = broken or self.judge.other_goal(then)
        if not broken and now.get("max_changes", then["max_changes"]) != then["max_changes"]:
            raise Unchecked("max_changes is not the explainer's, so it must have been passed for this person")
        if not broken and "objectives" in self.given["problem"]["settings"]:
            raise Unchecked("the objectives are not the explainer's, so they were passed for this person")
        return broken

    def status(self) -> list[str]:
        """Compare the status with the certificate and with the number of options."""
        status, number = self.given["status"], len(self.given["counterfactuals"])
        if status == FAVOURABLE:
            return [f"{FAVOURABLE}, with a certificate or options"] * bool(number or self.certificate)
        if status not in PROVES or not self.certificate:
            return [f"{status}, {'which has no evidence' if self.certificate else 'without a certificate'}"]
        broken = [*self._unlike_proof(status)]
        if (status == "OPTIMAL" and not number) or (status == "NO_RECOURSE" and number):
            broken.append(f"{status}, with {number} options")
        if self.given.get("unlisted"):
            broken.append(f"{status}, with options that are not listed")
        if self.certificate.get("none_because") and status != "NO_RECOURSE":
            broken.append(f"{status}, with a reason for having no option")
        if not broken and PROVES[status] and self.certificate["method"] != "exact":
            raise Unchecked("what an algorithm of the paper proves is not checked")
        return broken

    def _unlike_proof(self, status: str) -> Iterator[str]:
        proven = self.certificate["proven"] is True
        if proven is not PROVES[status]:
            yield f"{status}, with a certificate that is {'' if proven else 'not '}proven"
        doubts = [name for name in ("unproven_because", "open_boxes") if self.certificate[name]]
        if proven and doubts:
            yield f"a proof, with {' and '.join(doubts)}"

    def labels(self) -> list[str]:
        """Compare the order of labels, which determines the codes, with that in the reference."""
        listed, why = self.record["labels"], ""
        broken = [
            f"labels of {name}, which is not a column" for name in listed if name not in self.given["columns"]
        ]
        for name in self.given["columns"]:
            try:
                if self.reference.labels(name) != listed.get(name):
                    broken.append(f"the labels of {name} differ from the reference")
            except Unchecked as reason:
                why = str(reason)
        if why and not broken:
            raise Unchecked(why)
        return broken

    def names(self) -> list[str]:
        """Compare the names, the display and the moves of features with the policy."""
        listed, policy = self.problem["features"], self.stated["features"]
        if set(listed) != set(self.given["columns"]) or set(policy) != set(listed):
            return ["the features differ from the policy"]
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
        """Compare other statements about the problem with their sources."""
        stated, problem = self.stated, self.problem
        basis = "inferred" if stated.get("inferred") else "stated"
        is_lead = self.given["scale"] == "lead"
        pairs = {
            "basis": (problem["basis"], "reviewed" if "reviewed_by" in stated else basis),
            "reviewed_by": (problem["reviewed_by"], stated.get("reviewed_by", "")),
            "reviewed_on": (problem["reviewed_on"], str(stated.get("reviewed_on", ""))),
            "people": (problem["people"], parsed(self.archive, "reference.json")["rows"]),
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
        """Return a setting of the explainer in the form of an explanation.

        The default contamination is the detector's. Without a bound, it is "none".
        """
        settings = self.head["settings"]
        own, detector = settings.get(name), settings["plausibility"]
        if own is not None or name not in ("bound", "contamination"):
            return own
        return "none" if name == "bound" else detector.get(name, {}) if detector else None

    def _is_plain(self, name: str) -> bool:
        return name != LIMITS and not isinstance(self._own(name), dict | list)

    def _scale(self) -> Any:
        own = self.head["settings"]["scale"]
        return self.given["scale"] if own is None and self.given["scale"] in SCALES else own

    def not_compared(self) -> tuple[str, ...]:
        """List the statements of the file that no check compares."""
        found = [*_unlisted(self.record, "evidence.json"), *_unlisted(self.given, "explanation.json")]
        others = [name for name in self.given["person"] if name not in self.given["columns"]]
        found += [f"explanation.json: person.{name}" for name in others]  # the model does not use it
        has_model = any(name.startswith("model/") for name in self.parts)
        if not has_model and "model_file" in self.record["hashes"]:
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
        files = [name for name in ("readme.txt", "signature.json") if name in self.parts]
        return (*dict.fromkeys([*found, *ALSO_NOT, *files]),)


def _moves(entry: dict[str, Any]) -> str:
    if entry["kind"] == "date" or not entry.get("may_change", not entry.get("protected", False)):
        return "protected" if entry.get("protected") else "fixed"
    direction: str = entry.get("direction", "either")
    return direction


def _without_sides(rule: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in rule.items() if key not in SIDES}


def _unlisted(entry: Any, place: str) -> Iterator[str]:
    """Yield the entries that no check compares."""
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


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
