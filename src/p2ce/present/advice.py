"""Write the changes of one option as a clause, and reject options that change protected features."""

from collections.abc import Iterable

from p2ce.errors import InvalidArgument
from p2ce.present.speaker import Speaker
from p2ce.result import Counterfactual, Feature, Question
from p2ce.result.one_hot_groups import whole_changes
from p2ce.visible import echoed

ALONG = "along"  # `moves` of features that change only together with another one


def option_in_words(option: Counterfactual, speaker: Speaker) -> str:
    """Put all changes of one option into one clause, without a capital and a full stop.

    A linked feature is written as a consequence, since nobody can change it directly.
    """
    changes = whole_changes(option, speaker.groups)
    followers = [name for name in changes if _moves_along(speaker.features.get(name))]
    if len(followers) == len(changes):
        followers = []  # without the rule that ties it, a feature moves by itself
    parts = [
        speaker.change(name, old, new, said=option.rounded.get(name))
        for name, (old, new) in changes.items()
        if name not in followers
    ]
    advice = speaker.joined(parts) if parts else speaker.say("change_nothing")
    if not followers:
        return advice
    return speaker.say(
        "along", advice=advice, changes=speaker.joined(_consequences(option, followers, speaker))
    )


def _consequences(option: Counterfactual, followers: list[str], speaker: Speaker) -> list[str]:
    changes = []
    for name in followers:
        old, new = speaker.before_and_after(name, *option.changes[name], said=option.rounded.get(name))
        key = f"along_part{speaker.share_form(name)}"
        changes.append(speaker.say(key, name=speaker.named(name), old=old, new=new))
    return changes


def _moves_along(feature: Feature | None) -> bool:
    return feature is not None and feature.moves == ALONG


def check_advice(options: Iterable[Counterfactual], question: Question | None) -> None:
    """Raise if an option changes a protected or fixed feature."""
    features = {} if question is None else question.features
    for option in options:
        for name in option.changes:
            if name in features and not features[name].may_change:
                raise InvalidArgument(
                    f"An option changes {echoed(name)}, which is {features[name].moves}: no advice may name "
                    "it. Explain the person again with the intended action set."
                )
