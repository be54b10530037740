"""Recognise protected attributes, history and time by the names of columns.

Python and the command line use this one list. It is in English, with basic words in Portuguese, Spanish and
German. It gives hints, not legal advice: a person has to review what it finds and what it misses.
"""

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Several words in a row are written as one. Portuguese and Spanish have no accents here.
PROTECTED = _words("""
    sex gender male female pregnant pregnancy sexuality orientation
    race ethnicity ethnic caste skin tribe ancestry genetic religion religious belief
    nationality citizenship citizen nativecountry birthplace birthcountry countryorigin nationalorigin
    oforigin foreign foreigner immigrant immigration migrant language mothertongue
    age birth birthdate dob disability disabled handicap handicapped veteran
    marital maritalstatus married marriage widow widowed divorced spouse relationship personalstatus
    familystatus familysize familymembers fammembers householdsize
    children child kids dependents dependants liableindividuals liablepeople

    sexo genero gravidez embarazo raca raza etnia religiao idioma lingua
    nacionalidade nacionalidad cidadania ciudadania naturalidade estrangeiro extranjero inmigrante imigrante
    idade edad nascimento nacimiento deficiencia discapacidad
    estadocivil casado casada filhos hijos dependentes dependientes

    geschlecht familienstand staatsangehorigkeit nationalitat kinder
""")
# Words that mean something else inside longer names: a single payment, an alternative.
PROTECTED_ALONE = _words("single alter tribo tribu origin colour color cor")
HISTORY = _words("""
    late lates lateness missed overdue past pastdue arrears dpd history prior priors previous previously
    delinquent delinquency delinquencies delinq delq derog derogatory default defaults defaulted bounced
    bankrupt bankruptcy bankruptcies chargeoff chargeoffs chargedoff writeoff writeoffs writtenoff
    foreclosure foreclosures repossession repossessions liens pubrec publicrec publicrecord publicrecords
    arrest arrests conviction convictions felony felonies misdemeanor misdemeanors offense offenses
    offence offences juv recid recidivism

    atraso atrasos atrasado atrasada inadimplente inadimplencia historico historial vencido vencidos vencida
    falencia calote mora moroso morosidad impago impagos incumplimiento incumplimientos quiebra antecedentes
""")
# A record that says "never" reverses the meaning of up and down, so it is fixed.
NEVER = _words("never nunca")
TIME = _words("""
    since tenure seniority experience yoj clage infile timeat timein timewith timeon residencetime
    emplength employmentlength lengthofemployment employmentduration employmenttime jobduration jobtenure
    desde antiguedad antiguidade seit
""")
UNITS = _words(
    "years yrs months mths mnths weeks days anos meses semanas dias tempo tiempo jahre monate tage"
)
# Next to these words, years and months are a term, a window or a part of another unit, and may fall.
NO_TIME_BESIDE = _words("""
    term terms loan loans duration repayment repay remaining left maturity until till installments
    instalments per with grace deferred lease income salary amount balance spend spending payment payments
    prazo plazo restantes emprestimo prestamo credito laufzeit
""")
WINDOW_BEFORE = _words("last recent past previous next first every each")
# Next to these words, an age is not a person's: account_age, age of the oldest trade.
THINGS = _words("account accounts vehicle car property building loan trade trades card company firm business")
BELOW = _words("lt leq less below under")  # a flag such as YearsAtJob_lt_1 falls as time passes
IDS = _words("id ids uuid guid key number no nr ref reference ssn cpf nif dni iban")
PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
# The repayment status of past months in a well-known table.
PAYMENT_STATUS = re.compile(r"pay_?[0-9]")


class Topic(StrEnum):
    """What a column is about, according to its name."""

    PROTECTED = "protected"  # a protected attribute
    HISTORY = "history"  # a record of the past
    TIME = "time"  # time that has passed


@dataclass(frozen=True, slots=True)
class NameHint:
    """What a column is about, and the word in its name that says so."""

    topic: Topic
    word: str
    falls: bool = False  # it falls as time passes, such as a flag for less than some years
    unclear: bool = False  # the direction of time is unclear


@lru_cache(maxsize=4096)
def hint_of(name: str) -> NameHint | None:
    """Return what a column is about according to its name, or None.

    >>> [hint_of(name).topic.value for name in ("applicant_sex", "NumberOfTimes90DaysLate", "YearsAtJob")]
    ['protected', 'history', 'time']
    >>> [hint_of(name) for name in ("Mortgage", "LoanMonths", "MonthlyIncome", "latest_bill", "MORTDUE")]
    [None, None, None, None, None]
    """
    parts = _parts(name)
    words = [part for part in parts if not part.isdigit()]
    is_thing = _is_age_of_thing(words)
    if (word := _found(words, PROTECTED, PROTECTED_ALONE)) and not (is_thing and word == "age"):
        return NameHint(Topic.PROTECTED, word)
    falls = not BELOW.isdisjoint(words)
    # How long ago a record is, is time: months since the last delinquency.
    if word := _found(words, TIME):
        return NameHint(Topic.TIME, word, falls=falls)
    if word := _found(_without_windows(parts), HISTORY):
        return NameHint(Topic.HISTORY, word, unclear=not NEVER.isdisjoint(words))
    if PAYMENT_STATUS.fullmatch(name.lower()):
        return NameHint(Topic.HISTORY, "pay")
    if is_thing:
        return NameHint(Topic.TIME, "age", falls=falls)
    if word := _unit(parts, words):
        return NameHint(Topic.TIME, word, falls=falls)
    return None


def likely_protected(name: str) -> str | None:
    """Return the word in a column's name that suggests a protected attribute, or None.

    >>> likely_protected("applicant_sex"), likely_protected("maritalStatus"), likely_protected("Mortgage")
    ('sex', 'marital', None)
    >>> likely_protected("estado_civil_atual"), likely_protected("Raça"), likely_protected("SinglePayment")
    ('estadocivil', 'raca', None)
    """
    hint = hint_of(name)
    return hint.word if hint is not None and hint.topic is Topic.PROTECTED else None


def names_ids(name: str) -> bool:
    """Return whether a column has the name of an identifier.

    >>> [names_ids(name) for name in ("id", "CustomerNumber", "loan_key", "NumberOfLoans", "paid")]
    [True, True, True, False, False]
    """
    parts = _parts(name)
    return bool(parts) and parts[-1] in IDS


def words_of(name: str) -> list[str]:
    """Split a name (snake_case, camelCase or with spaces) into words in lower case, without numbers.

    >>> words_of("MaxBillAmountOverLast6Months"), words_of("late_90d")
    (['max', 'bill', 'amount', 'over', 'last', 'months'], ['late', 'd'])
    """
    return [part for part in _parts(name) if not part.isdigit()]


def _parts(name: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return [part.lower() for part in PARTS.findall(plain)]


def _found(words: list[str], known: frozenset[str], alone: frozenset[str] = frozenset()) -> str:
    """Return the first known word, or known sequence of two or three words, or ""."""
    joined = "".join(words)
    pairs = [first + second for first, second in pairwise(words)]
    triples = [first + second for first, second in zip(pairs, words[2:], strict=False)]
    phrases = [*words, *pairs, *triples, joined]
    return next((phrase for phrase in phrases if phrase in known), "") or (joined if joined in alone else "")


def _is_age_of_thing(words: list[str]) -> bool:
    if "age" not in words:
        return False
    at = words.index("age")
    before, after = words[max(0, at - 1) : at], words[at + 1 : at + 4]
    return not THINGS.isdisjoint(before) or (after[:1] == ["of"] and not THINGS.isdisjoint(after))


def _without_windows(parts: list[str]) -> list[str]:
    """Leave out words that only name a window of time, as in "the past 24 months"."""
    return [
        part
        for part, after in zip(parts, [*parts[1:], ""], strict=False)
        if not part.isdigit() and not (part in WINDOW_BEFORE and (after.isdigit() or after in UNITS))
    ]


def _unit(parts: list[str], words: list[str]) -> str:
    """Return a unit of time that is not part of a window ("last 6 months"), term or rate, or ""."""
    if not NO_TIME_BESIDE.isdisjoint(words):
        return ""
    for before, part in zip(["", *parts], parts, strict=False):
        if part in UNITS and not before.isdigit() and before not in WINDOW_BEFORE:
            return part
    return ""
