"""Compare what an evidence file says of itself with what is in it: checksums, hashes, settings, status."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import yaml

from p2ce.testing.stated_model import StatedModel
from p2ce.testing.stated_policy import SIDES, Unchecked
from p2ce.testing.stated_reference import StatedReference

PROVES = {"OPTIMAL": True, "NO_RECOURSE": True, "HEURISTIC": False, "TIME_LIMIT": False}
FAVOURABLE = "ACCEPTED"


@dataclass
class StatedClaims:
    """What the parts of an evidence file state beside the options; every check lists complaints."""

    parts: dict[str, bytes]
    record: dict[str, Any]  # evidence.json
    given: dict[str, Any]  # explanation.json
    stated: dict[str, Any]  # policy.yaml
    archive: dict[str, bytes]  # the parts of explainer.p2ce
    head: dict[str, Any]  # its first part, with the settings
    judge: StatedModel

    def __post_init__(self) -> None:
        self.certificate = self.given["certificate"] or {}
        self.reference = StatedReference(self.archive)

    def checksums(self) -> list[str]:
        """Compare every part with the SHA-256 that is listed of it."""
        found = {name: _sha256(content) for name, content in self.parts.items()}
        listed = {**self.record["parts"], "evidence.json": found["evidence.json"]}
        if "signature.json" in found:  # which lists all others itself
            listed["signature.json"] = found["signature.json"]
        return [f"{name} was changed" for name in {**listed, **found} if found.get(name) != listed.get(name)]

    def hashes(self) -> list[str]:
        """Compare both lists of hashes with each other, and with what can be computed again."""
        listed, own = self.record["hashes"], self.given["problem"]["hashes"]
        broken = [f"two hashes of the {name}" for name in own if listed.get(name) != own[name]]
        found = {"policy": _sha256(self.parts["policy.yaml"])}
        for name, part in self.parts.items():
            if name.startswith("model/"):
                found["model_file"] = _sha256(part)
        why = ""
        try:
            found["reference"] = self.reference.fingerprint
        except Unchecked as reason:
            why = f"of the reference: {reason}"
        broken += [f"the hash is of another {name}" for name in found if listed.get(name) != found[name]]
        if not broken and listed["model"] != self.head["model"]["fingerprint"]:
            why = "the explainer has another one of the model, by rounding on another machine at best"
        if why and not broken:
            raise Unchecked(why)
        return broken

    def policy(self) -> list[str]:
        """Compare the policy with that of the explanation, then with the explainer's own."""
        content, problem = self.parts["policy.yaml"], self.given["problem"]
        rules = [{key: rule[key] for key in rule if key not in SIDES} for rule in problem["rules"]]
        if content.decode() != problem["policy"] or rules != self.stated.get("rules", []):
            return ["policy.yaml is another policy"]
        if content != self.archive["policy.yaml"] and self.stated != self._own_policy():
            raise Unchecked("another policy than the explainer's: was it given for this person?")
        return []

    def _own_policy(self) -> Any:
        """Read the explainer's policy; where it does not say if a group may be none, the reference does."""
        policy = yaml.safe_load(self.archive["policy.yaml"])
        for rule in policy.get("rules", []):
            if rule["rule"] == "one_hot" and "may_be_none" not in rule:
                levels = np.array([self.reference.numbers(name) for name in rule["columns"]])
                rule["may_be_none"] = bool((levels == 0).all(axis=0).any())
        return policy

    def settings(self) -> list[str]:
        """Compare what is stated with what the explainer was made with, or else with the defaults."""
        then, now = self.head["settings"], {**self.given, **self.certificate}
        names = [name for name in ("margin", "method", "ties") if name in now]
        if isinstance(then["method"], dict) and now.get("method") != "exact":
            names = [
                name for name in names if name != "method"
            ]  # an algorithm of the paper with settings of its own
        broken = [f"another {name}" for name in names if now[name] != then[name]]
        broken = broken or self.judge.other_goal(then["target"], then["threshold"])
        if not broken and now.get("max_changes", then["max_changes"]) != then["max_changes"]:
            raise Unchecked("another number of changes than the explainer's: was it given for this person?")
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
        """Compare the order of labels, which their codes depend on, with that in the reference."""
        listed, why = self.record["labels"], ""
        broken = [
            f"labels of {name}, which is not a column" for name in listed if name not in self.given["columns"]
        ]
        for name in self.given["columns"]:
            try:
                if self.reference.labels(name) != listed.get(name):
                    broken.append(f"other labels of {name} than the reference's")
            except Unchecked as reason:
                why = str(reason)
        if why and not broken:
            raise Unchecked(why)
        return broken


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
