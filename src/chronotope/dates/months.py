"""Names of months and weekdays in many languages."""

from __future__ import annotations

import unicodedata
from functools import cache

# twelve months per line, forms of one month separated by a slash
_MONTHS = """
january february march april may june july august september/sept october november december
januar/jänner februar/feber märz/maerz april mai juni juli august september oktober november dezember
janvier février/fevr mars avril mai juin juillet août septembre octobre novembre décembre
enero febrero marzo abril mayo junio julio agosto septiembre/setiembre octubre noviembre diciembre
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
gener febrer març abril maig juny juliol agost setembre octubre novembre desembre
ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie
januari februari maart/mrt april mei juni juli augustus september oktober november december
januari februari mars april maj juni juli augusti september oktober november december
januar februar marts april maj juni juli august september oktober november december
januar februar mars april mai juni juli august september oktober november desember
styczeń/stycznia luty/lutego marzec/marca kwiecień/kwietnia maj/maja czerwiec/czerwca lipiec/lipca sierpień/sierpnia \
wrzesień/września październik/października listopad/listopada grudzień/grudnia
leden/ledna únor/února březen/března duben/dubna květen/května červen/června červenec/července srpen/srpna září/září \
říjen/října listopad/listopadu prosinec/prosince
január/januára február/februára marec/marca apríl/apríla máj/mája jún/júna júl/júla august/augusta september/septembra \
október/októbra november/novembra december/decembra
január február március április május június július augusztus szeptember október november december
январь/января февраль/февраля март/марта апрель/апреля май/мая июнь/июня июль/июля август/августа сентябрь/сентября \
октябрь/октября ноябрь/ноября декабрь/декабря
січень/січня лютий/лютого березень/березня квітень/квітня травень/травня червень/червня липень/липня серпень/серпня \
вересень/вересня жовтень/жовтня листопад/листопада грудень/грудня
ιανουάριος/ιανουαρίου φεβρουάριος/φεβρουαρίου μάρτιος/μαρτίου απρίλιος/απριλίου μάιος/μαΐου ιούνιος/ιουνίου \
ιούλιος/ιουλίου αύγουστος/αυγούστου σεπτέμβριος/σεπτεμβρίου οκτώβριος/οκτωβρίου νοέμβριος/νοεμβρίου \
δεκέμβριος/δεκεμβρίου
ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
tammikuu/tammikuuta helmikuu/helmikuuta maaliskuu/maaliskuuta huhtikuu/huhtikuuta toukokuu/toukokuuta \
kesäkuu/kesäkuuta heinäkuu/heinäkuuta elokuu/elokuuta syyskuu/syyskuuta lokakuu/lokakuuta marraskuu/marraskuuta \
joulukuu/joulukuuta
januari februari maret april mei juni juli agustus september oktober november desember
"""
_WEEKDAYS = """
monday tuesday tues wednesday weds thursday thur thurs friday saturday sunday
montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag lundi mardi mercredi jeudi vendredi samedi
dimanche lunes martes miércoles jueves viernes sábado domingo lunedì martedì mercoledì giovedì venerdì sabato domenica
segunda-feira terça-feira quarta-feira quinta-feira sexta-feira
maandag dinsdag woensdag donderdag vrijdag zaterdag zondag måndag tisdag onsdag torsdag fredag lördag söndag
mandag tirsdag lørdag søndag poniedziałek wtorek środa czwartek piątek sobota niedziela
pondělí úterý středa čtvrtek pátek sobota neděle понедельник вторник среда четверг пятница суббота воскресенье
maanantai tiistai keskiviikko torstai perjantai lauantai sunnuntai pazartesi salı çarşamba perşembe cuma
cumartesi pazar
"""
_SHORTEST = 3  # letters of a short form


def month_number(name: str) -> int | None:
    """The month of a name or of its first letters, three or more; None if it is not a month or could be two."""
    return _months().get(plain_letters(name))


def is_weekday(name: str) -> bool:
    """Whether a word is the name of a weekday or its first letters."""
    return plain_letters(name) in _weekdays()


def plain_letters(name: str) -> str:
    """A name in lower case, without accents and without a full stop."""
    letters = unicodedata.normalize("NFKD", name.lower().rstrip("."))
    return "".join(letter for letter in letters if not unicodedata.combining(letter)).replace("ı", "i")


def _starts(name: str) -> list[str]:
    """What a name may be cut to."""
    whole = plain_letters(name)
    return [whole[:n] for n in range(min(_SHORTEST, len(whole)), len(whole) + 1)]


@cache
def _months() -> dict[str, int]:
    """Every form that means one month only; whole names go before short ones, and English before all."""
    lines = [line.split() for line in _MONTHS.strip().splitlines()]
    names = [(name, month) for line in lines for month, forms in enumerate(line, 1) for name in forms.split("/")]
    short = _unambiguous([(start, month) for name, month in names for start in _starts(name)])
    english = _unambiguous([(start, month) for name, month in names[:13] for start in _starts(name)])
    return short | _unambiguous([(plain_letters(name), month) for name, month in names]) | english


def _unambiguous(forms: list[tuple[str, int]]) -> dict[str, int]:
    """The forms that have one meaning."""
    meanings: dict[str, set[int]] = {}
    for form, month in forms:
        meanings.setdefault(form, set()).add(month)
    return {form: min(months) for form, months in meanings.items() if len(months) == 1}


@cache
def _weekdays() -> frozenset[str]:
    starts = (start for name in _WEEKDAYS.split() for start in _starts(name))
    return frozenset(starts) | {"mo", "di", "mi", "do", "fr", "sa", "so"}
