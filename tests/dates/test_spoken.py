"""Dates as people write them, in ten languages, are the spans of time that they mean."""

from __future__ import annotations

import math

import pytest

from chronotope.dates.rough import UNKNOWN
from chronotope.dates.rough_text import density_in_words, rough_date

INF = math.inf
CIRCA, UNSURE, BOTH = (1840, 1848, 1853, 1861), (1845, 1849, 1852, 1856), (1835, 1847, 1854, 1866)

DOUBTFUL = {
    CIRCA: """circa 1850|c. 1850|c1850|ca. 1850|about 1850|[ca. 1850]|~1850|approximately 1850|1850 (ca.)|um 1850
        |etwa 1850|vers 1850|env. 1850|hacia 1850|alrededor de 1850|verso il 1850|1850 circa|cerca de 1850
        |por volta de 1850
        |omstreeks 1850|rond 1850|около 1850 г.|ок. 1850|około 1850|ok. 1850 r.|omkring 1850|c:a 1850""",
    UNSURE: """1850?|probably 1850|[1850?]|1850 [?]|vermutlich 1850|probablement 1850|probablemente 1850|forse 1850
        |talvez 1850|waarschijnlijk 1850|вероятно 1850|prawdopodobnie 1850|troligen 1850""",
    BOTH: "ca. 1850?|c. 1850?|probably circa 1850|[c. 1850?]",
}
YEARS = {  # the first year, and the first one after
    (1850, 1851): "[1850]|18[50]|(1850)",
    (
        1930,
        1940,
    ): """1930s|the 1930s|1930's|1930’s|1930ies|1930er Jahre|années 1930|les années 1930|década de 1930|años 1930
        |anni 1930|anos 1930|jaren 1930|1930-е|1930-е годы|1930-х гг.|lata 1930|lata 30. XX w.|30-е годы XX века
        |años 30 del siglo XX|30er Jahre des 20. Jahrhunderts|1930-talet|193-|[193-]""",
    (1800, 1900): """19th century|XIX century|nineteenth century|19th c.|C19|the 1800s|18--|XIX w.|XIX wiek
        |XIXe siècle
        |19e s.|19. Jahrhundert|19. Jh.|s. XIX|siglo XIX|XIX secolo|sec. XIX|século XIX|séc. XIX|19e eeuw|19de eeuw
        |XIX век|XIX в.|19 век|1800-talet|19:e århundradet""",
    (
        1800,
        1850,
    ): """first half of the 19th century|1st half 19th century|1. Hälfte 19. Jh.|erste Hälfte des 19. Jahrhunderts
        |19. Jh., 1. Hälfte|première moitié du XIXe siècle|1re moitié XIXe siècle|primera mitad del siglo XIX
        |prima metà del XIX secolo|primeira metade do século XIX|eerste helft van de 19e eeuw|первая половина XIX века
        |1-я половина XIX в.|pierwsza połowa XIX w.|1. poł. XIX w.|I poł. XIX w.|första hälften av 1800-talet""",
    (1725, 1750): """second quarter of the 18th century|2. Viertel 18. Jh.|2e quart du XVIIIe siècle
        |segundo cuarto del siglo XVIII|secondo quarto del XVIII secolo|segundo quartel do século XVIII
        |tweede kwart 18e eeuw|вторая четверть XVIII века|druga ćwierć XVIII w.""",
    (1875, 1900): """last quarter of the 19th century|letztes Viertel des 19. Jahrhunderts
        |dernier quart du XIXe siècle""",
    (1810, 1820): "second decade of the 19th century",
    (1914, 1919): """between 1914 and 1918|bet. 1914 and 1918|1914-1918|1914–1918|1914–18|1914-18|1914/18|1914 to 1918
        |from 1914 to 1918|1914 - 1918|zwischen 1914 und 1918|von 1914 bis 1918|1914 bis 1918|entre 1914 et 1918
        |de 1914 à 1918|entre 1914 y 1918|de 1914 a 1918|desde 1914 hasta 1918|tra il 1914 e il 1918|dal 1914 al 1918
        |entre 1914 e 1918|tussen 1914 en 1918|van 1914 tot 1918|1914 t/m 1918|между 1914 и 1918|с 1914 по 1918
        |1914-1918 гг.|między 1914 a 1918|od 1914 do 1918|mellan 1914 och 1918|från 1914 till 1918""",
    (1700, 1900): "18th-19th century|18th to 19th century|XVIII-XIX вв.|18./19. Jh.",
    (1850, 1856): "1850-1855|1850 – 1855",
    (1901, 1903): "1901–02",
    (
        -INF,
        1914,
    ): """before 1914|bef. 1914|ante 1914|<1914|vor 1914|avant 1914|antes de 1914|prima del 1914|voor 1914|до 1914
        |przed 1914|före 1914""",
    (
        1919,
        INF,
    ): """after 1918|aft. 1918|post 1918|>1918|nach 1918|après 1918|después de 1918|dopo il 1918|depois de 1918
        |após 1918|na 1918|после 1918|po 1918|efter 1918""",
    (1914, INF): "1914 or later|since 1914|from 1914|not before 1914|1914-|1914 onwards|seit 1914|depuis 1914",
    (-INF, 1915): "until 1914|not after 1914|no later than 1914|1914 or earlier",
}
THIRDS = {
    0: """early 19th century|beginning of the 19th century|Anfang des 19. Jahrhunderts|Anfang 19. Jh.
        |début du XIXe siècle|principios del siglo XIX|inizio XIX secolo|início do século XIX|begin 19e eeuw
        |начало XIX века|нач. XIX в.
        |początek XIX w.|början av 1800-talet|tidigt 1800-tal""",
    1: """mid-19th century|mid 19th c.|Mitte 19. Jh.|milieu du XIXe siècle|mediados del s. XIX|metà del XIX secolo
        |meados do século XIX|midden 19e eeuw|середина XIX века|połowa XIX w.|mitten av 1800-talet""",
    2: """late 19th c.|end of the 19th century|Ende des 19. Jahrhunderts|fin du 19e siècle|finales del siglo XIX
        |fine del XIX secolo|finais do século XIX|eind 19e eeuw|конец XIX в.|koniec XIX w.|slutet av 1800-talet""",
}
IN_WORDS = {
    "early 1930s": "1930 to 1933",
    "mid-1930s": "1933 to 1936",
    "late 1930s": "1936 to 1939",
    "early to mid-19th century": "1800 to 1866",
    "late 18th or early 19th century": "1766 to 1799 or 1800 to 1833",
    "1914 or 1915": "1914 or 1915",
    "1914 or 15": "1914 or 1915",
    "1914 oder 1915": "1914 or 1915",
    "1914 ou 1915": "1914 or 1915",
    "1914 o 1915": "1914 or 1915",
    "1914 of 1915": "1914 or 1915",
    "1914 или 1915": "1914 or 1915",
    "1914 lub 1915": "1914 or 1915",
    "1914 eller 1915": "1914 or 1915",
    "1851, 1853 or 1855": "1851 or 1853 or 1855",
    "1851 and 1853": "1851 or 1853",
    "1920s or 30s": "1920 to 1929 or 1930 to 1939",
    "spring 1851": "1851-03 to 1851-05",
    "Spring, 1851": "1851-03 to 1851-05",
    "Frühjahr 1851": "1851-03 to 1851-05",
    "printemps 1851": "1851-03 to 1851-05",
    "primavera de 1851": "1851-03 to 1851-05",
    "весна 1851 г.": "1851-03 to 1851-05",
    "våren 1851": "1851-03 to 1851-05",
    "Summer of 1914": "1914-06 to 1914-08",
    "herfst 1851": "1851-09 to 1851-11",
    "jesień 1851": "1851-09 to 1851-11",
    "winter 1851-52": "1851-12 to 1852-02",
    "Winter 1851/52": "1851-12 to 1852-02",
    "hiver 1851-1852": "1851-12 to 1852-02",
    "winter 1851": "1851-01 to 1851-02 or 1851-12 to 1852-02",
    "winter 1850 - spring 1851": "1850-12 to 1851-05",
    "March or April 1861": "1861-03 or 1861-04",
    "March–April 1861": "1861-03 to 1861-04",
    "3-5 March 1861": "1861-03-03 to 1861-03-05",
    "15 March - 3 April 1861": "1861-03-15 to 1861-04-03",
    "1861-03-04 to 1861-05-06": "1861-03 to 1861-05",
    "[4 March 1861]": "1861-03-04",
    "early March 1861": "1861-03-01 to 1861-03-10",
    "late 1851": "1851-09 to 1851-12",
    "c. March 1861": "1860-04 to 1862-02, most likely 1860-12 to 1861-06",
    "c. 1850-1860": "1840 to 1870, most likely 1848 to 1862",
    "c. 1910-12": "1900 to 1922, most likely 1908 to 1914",
    "circa 1930s": "1920 to 1949, most likely 1928 to 1941",
    "c. 19th century": "1750 to 1949, most likely 1790 to 1909",
    "c. 850": "840 to 860, most likely 848 to 852",
    "185-?": "1845 to 1864, most likely 1849 to 1860",
    "185?": "1850 to 1859",
    "twenty-first century": "2000 to 2099",
    "first century": "1 to 99",
    "before c. 1914": "before 1924",
    "1850 [i.e. 1851]": "1851",
    "n.d., c. 1850": "1840 to 1860, most likely 1848 to 1852",
    "undated, 1850s": "1850 to 1859",
    "early C20": "1900 to 1933",
    "mid-to-late 1930s": "1933 to 1939",
    "s. XVIII-XIX": "1700 to 1899",
    "between March 4 and April 6, 1861": "1861-03 to 1861-04",
    "in or before 1850": "before 1851",
    "1850+": "1850 or later",
    "late 19th century-early 20th century": "1866 to 1933",
    "a finales de la década de 1930": "1936 to 1939",
}
NOT_KNOWN = """n.d.|nd|[n.d.]|N.D.|undated|no date|unknown|date unknown|?|[?]|s.d.|s. d.|s.a.|o.D.|o. D.|o.J.
        |ohne Datum
    |sans date|sin fecha|s.f.|senza data|sem data|z.d.|zonder datum|ongedateerd|без даты|б.г.|б. г.|не датировано
        |b.d.|bez daty
    |odaterad|u.å."""
REFUSED = """hello|circa|c.|spring|March|May|mid|the 19th|12-15|123-145|c. 12|19|850|5 of 6|chapter 12|1850 1851
    |1850 to|or 1850|1918-1914|between 1918 and 1914|1914–12|1914-8|1899-00|1851-13|31 February 1850?|44 BC|c. 44 BCE
        |1st century BC
    |the 30s|'30s|25th century|c. 03/04/1861|
    Y-12000|12.5|-1914|10:30|555-1234|SA|sd|July 14|1.5 to 2|n/a|lost|d. 1850|a. 1850|fl. 1850|p1850"""


def forms(text: str) -> list[str]:
    return [form.strip() for form in text.split("|")]


@pytest.mark.parametrize(("corners", "text"), [(c, text) for c, texts in DOUBTFUL.items() for text in forms(texts)])
def test_a_doubtful_year_is_a_trapezoid_around_it(corners: tuple[float, ...], text: str) -> None:
    assert rough_date(text) == (corners,)


@pytest.mark.parametrize(("span", "text"), [(span, text) for span, texts in YEARS.items() for text in forms(texts)])
def test_spans_of_years_in_many_languages(span: tuple[float, float], text: str) -> None:
    start, end = span
    assert rough_date(text) == ((start, start, end, end),)


@pytest.mark.parametrize(("third", "text"), [(third, text) for third, texts in THIRDS.items() for text in forms(texts)])
def test_early_mid_and_late_are_thirds(third: int, text: str) -> None:
    pieces = rough_date(text)
    assert pieces is not None
    expected = [1800 + 100 * third / 3] * 2 + [1800 + 100 * (third + 1) / 3] * 2
    assert pieces == (pytest.approx(expected, rel=1e-14),)


@pytest.mark.parametrize(("text", "words"), IN_WORDS.items())
def test_what_a_form_means_in_words(text: str, words: str) -> None:
    pieces = rough_date(text)
    assert pieces is not None
    assert density_in_words(pieces) == words


@pytest.mark.parametrize("text", forms(NOT_KNOWN))
def test_no_date_is_an_unknown_one(text: str) -> None:
    assert rough_date(text) == (UNKNOWN,)


@pytest.mark.parametrize("text", [*forms(REFUSED), "", " ", "circa 1850 " * 8])
def test_what_means_no_time_is_refused(text: str) -> None:
    assert rough_date(text) is None


def test_the_order_of_day_and_month_and_the_century_are_those_of_the_column() -> None:
    assert rough_date("c. 03/04/1861", day_first=True) == rough_date("c. 3 April 1861")
    assert rough_date("c. 4 Mar 61", century_start=1850) == rough_date("c. 4 March 1861")
