"""Rules of the engine are translated; names are replaced only where columns stand."""

import numpy as np
import pandas as pd
import pytest

from p2ce import ActionSet, rules
from p2ce.present.languages import LANGUAGES
from p2ce.present.speaker import Speaker, speaker_for
from p2ce.present.translate_rules import candidates_in_words, in_words, restated
from p2ce.problem.actions_table import described_candidates
from p2ce.problem.display import Display
from p2ce.result import Feature, Question

DISPLAYS = {
    "Job": Display(name={"en": "occupation", "pt": "a ocupação", "es": "la ocupación"}),
    "Age": Display(name={"en": "age", "pt": "a idade", "es": "la edad"}),
    "Inc": Display(name={"en": "income", "pt": "a renda", "es": "el ingreso"}, unit="EUR"),
    "Own": Display(name={"en": "home", "pt": "a casa", "es": "la casa"}),
    # Names that are words of the sentences.
    "is": Display(name="island"),
    "at": Display(name="attendance"),
    "if": Display(name="interest"),
    "loan sum": Display(name="loan"),
}


def speaker(language: str) -> Speaker:
    features = {
        name: Feature(name=name, kind="binary" if name == "Own" else "number", display=display)
        for name, display in DISPLAYS.items()
    }
    for level in ("H_a", "H_b"):
        features[level] = Feature(name=level, kind="binary", group="Home")
    return speaker_for(Question(features=features), language)


CASES = [
    (
        rules.if_then(if_={"Job": "Age"}, then={"Age": (21, None)}).text(),
        "if occupation is Age, then age is at least 21",
        "se ocupação é Age, então idade é no mínimo 21",
        "si ocupación es Age, entonces edad es como mínimo 21",
    ),
    (
        rules.if_then(
            if_={"Own": True, "Job": ["a and b", "it's"]}, then={"Inc": (1000, 2500), "Age": "changes"}
        ).text(),
        "if home is yes and occupation is one of a and b, it's, then income is from 1,000 EUR to 2,500 EUR "
        "and age changes",
        "se casa é sim e ocupação é um destes: a and b, it's, então renda vai de 1.000 EUR a 2.500 EUR e "
        "idade muda",
        "si casa es sí y ocupación es uno de estos: a and b, it's, entonces ingreso va de 1.000 EUR a 2.500 "
        "EUR y edad cambia",
    ),
    (
        rules.linked(driver="Age", follower="Inc", ratio=0.5).text(),
        "income moves 0.5 times as much as age does",
        "renda muda 0,5 vezes o que muda idade",
        "ingreso cambia 0,5 veces lo que cambia edad",
    ),
    (
        rules.exclusive("Age", "Inc", "is").text(),
        "no more than one of these changes: age, income and island",
        "no máximo um destes muda: idade, renda e island",
        "como máximo uno de estos cambia: edad, ingreso e island",
    ),
    (
        rules.together("Age", "Inc").text(),
        "age and income change together or not at all",
        "idade e renda mudam em conjunto ou não mudam",
        "edad e ingreso cambian en conjunto o no cambian",
    ),
    (
        rules.at_most_one_of("Age", "Inc").text(),
        "no more than one of these is other than 0: age and income",
        "no máximo um destes é diferente de 0: idade e renda",
        "como máximo uno de estos es distinto de 0: edad e ingreso",
    ),
    (
        rules.inequality("`loan sum` <= 3*Inc + 10").text(),
        "loan <= 3*income + 10",
        "loan <= 3*renda + 10",
        "loan <= 3*ingreso + 10",
    ),
    (
        rules.forbid("Job", {"a": ["Age", "b"]}).text(),
        "occupation never changes like this: a → Age, b",
        "ocupação nunca muda assim: a → Age, b",
        "ocupación nunca cambia así: a → Age, b",
    ),
    (
        rules.one_hot("Home", ["H_a", "H_b"], may_be_none=False).text(),
        "Home is one of these: a and b",
        "Home é um destes: a e b",
        "Home es uno de estos: a y b",
    ),
    ("at only increases", "attendance only increases", "attendance só aumenta", "attendance solo aumenta"),
    ("Age stays missing", "age stays missing", "idade continua sem valor", "edad sigue sin valor"),
    (
        "Inc within 25000–40000.5 (instead 0–1000000, as far as the data go)",
        "income from 25,000 EUR to 40,000.5 EUR (would be 0 EUR to 1,000,000 EUR, as far as the data go)",
        "renda de 25.000 EUR a 40.000,5 EUR (passaria a ir de 0 EUR a 1.000.000 EUR, até onde vão os dados)",
        "ingreso de 25.000 EUR a 40.000,5 EUR (pasaría a ir de 0 EUR a 1.000.000 EUR, hasta donde llegan "
        "los datos)",
    ),
    (
        "Job one of Age, b (instead any label of the data)",
        "occupation is one of these only: Age, b",
        "ocupação é somente um destes: Age, b",
        "ocupación es solo uno de estos: Age, b",
    ),
]


@pytest.mark.parametrize("case", CASES)
def test_rules_are_written_in_every_language(case: tuple[str, ...]) -> None:
    text, *written = case
    assert [restated(text, speaker(language)) for language in LANGUAGES] == written


def test_what_is_not_the_engines_stays_as_it_is_and_that_is_said() -> None:
    own = "my check of Age says yes"
    assert restated(own, speaker("en")) == own
    assert restated(own, speaker("pt")) == "“my check of Age says yes” (em inglês, como foi escrito)"
    assert restated("Age only rises", speaker("es"), quoted=True).startswith("«Age only rises» (en inglés")
    assert in_words("Age only increases", speaker_for(None)) is None
    assert restated("Age only increases", speaker("pt"), quoted=True) == "“idade só aumenta”"


@pytest.mark.parametrize(
    ("candidates", "english", "portuguese", "spanish"),
    [
        (
            "1,510: 500–8000.5, every 50",
            "1,510: 500 to 8,000.5, every 50",
            "1.510: de 500 a 8.000,5, a cada 50",
            "1.510: de 500 a 8.000,5, cada 50",
        ),
        (
            "36: 450–800, every 10; may go missing; missing stays",
            "36: 450 to 800, every 10; may go missing; missing stays",
            "36: de 450 a 800, a cada 10; pode ficar sem valor; sem valor continua assim",
            "36: de 450 a 800, cada 10; puede quedar sin valor; sin valor sigue así",
        ),
        (
            "1,219: 500–14000.5, steps of 0.25 to 2500",
            "1,219: 500 to 14,000.5, in steps of 0.25 to 2,500",
            "1.219: de 500 a 14.000,5, em passos de 0,25 a 2.500",
            "1.219: de 500 a 14.000,5, en pasos de 0,25 a 2.500",
        ),
        (
            "36: 450–800, every 10; missing stays; special values -9, -8 stay",
            "36: 450 to 800, every 10; missing stays; special values that stay: -9, no record",
            "36: de 450 a 800, a cada 10; sem valor continua assim; valores especiais que permanecem: -9, no "
            "record",
            "36: de 450 a 800, cada 10; sin valor sigue así; valores especiales que se mantienen: -9, no "
            "record",
        ),
        (
            "3: 1, 2.5, 1000; special values 9999.5 may be left",
            "3: 1, 2.5, 1,000; special values that may be left: 9,999.5",
            "3: 1, 2,5, 1.000; valores especiais que podem ser deixados: 9.999,5",
            "3: 1, 2,5, 1.000; valores especiales que se pueden dejar: 9.999,5",
        ),
        ("3: 1, 2.5, 1000, …", "3: 1, 2.5, 1,000, …", "3: 1, 2,5, 1.000, …", "3: 1, 2,5, 1.000, …"),
        ("in some other form",) * 4,
    ],
)
def test_candidates_are_written_in_the_readers_numbers(
    candidates: str, english: str, portuguese: str, spanish: str
) -> None:
    income = Feature(name="Inc", candidates=candidates, display=Display(values={-8: "no record"}))
    written = [
        candidates_in_words(income, speaker_for(Question(features={"Inc": income}), language))
        for language in LANGUAGES
    ]
    assert written == [english, portuguese, spanish]


@pytest.mark.parametrize("leave", [False, True])
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_engine_writes_of_candidates_is_known(language: str, leave: bool) -> None:
    rng = np.random.default_rng(0)
    amounts = np.concatenate([[-9.0] * 5, [-8.0] * 5, rng.exponential(3_000, 2_000).round(2)])
    actions = ActionSet.infer(pd.DataFrame({"Amount": amounts}), special_values={"Amount": [-9, -8]})
    feature = (actions.leave_special("Amount") if leave else actions)["Amount"]
    text = described_candidates(feature)
    assert "steps of" in text
    written = candidates_in_words(
        Feature(name="Amount", candidates=text), speaker_for(Question(features={}), language)
    )
    assert written != text  # nothing is left in the engine's own form
    assert "–" not in written
    assert written.endswith(": -9, -8")


def test_labels_that_are_candidates_have_their_names() -> None:
    named = Display(values={"own": {"en": "own home", "es": "casa propia"}})
    home = Feature(name="Home", kind="category", candidates="2: own, 7", display=named)
    written = speaker_for(Question(features={"Home": home}), "es")
    assert candidates_in_words(home, written) == "2: casa propia, 7"


@pytest.mark.parametrize("rule", [case[0] for case in CASES])
def test_every_rule_is_translated(rule: str) -> None:
    assert in_words(rule, speaker("pt")) is not None
