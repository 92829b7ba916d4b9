"""Words of dates that are known roughly, in ten languages, in lower case and without accents."""

from __future__ import annotations

from functools import cache

from chronotope.dates.months import plain_letters

# English, German, French, Spanish, Italian, Portuguese, Dutch, Russian, Polish, Swedish (with Danish and Norwegian)
_ROLES = {
    "circa": """
        c ca circa cca cirka approx approximately about abt around estimated est roughly ~ ≈
        um etwa gegen zirka rund ungefahr vers env environ autour hacia h aprox aproximadamente alrededor cerca verso
        intorno approssimativamente volta omstreeks rond ongeveer omtrent около ок приблизительно примерно okolo ok
        omkring runt ungefar rundt
    """,
    "unsure": """
        ? probably prob perhaps possibly poss maybe likely presumably uncertain vermutlich wohl wahrscheinlich
        vielleicht probablement peut etre incertain probablemente quiza quizas posiblemente forse probabilmente
        provavelmente talvez possivelmente waarschijnlijk misschien mogelijk вероятно возможно предположительно
        prawdopodobnie moze byc troligen kanske sannolikt
    """,
    "before": "before bef ante < vor avant antes prima voor до przed fore for",
    "after": "after aft post > nach apres despues tras dopo depois apos na после po efter etter",
    "since": "since from seit ab depuis desde dal dalla sinds vanaf с от od sedan fran fra",
    "until": "until till by bis jusque jusqu hasta ate fino tot do til",
    "earlier": "earlier before fruher plus avant antes eerder prima ранее wczesniej tidigare",
    "later": "+ later after onward onwards spater tard despues later dopo depois позже позднее pozniej senare",
    "between": "between bet betw btw zwischen entre tra fra tussen между miedzy mellan mellem mellom",
    "from": "from von de du des da dal dalla del desde van от с od fran fra",
    "and": "and und et y e en и a i och og &",
    "to": "to until till til through thru bis a au aux al alla hasta ate tot до по do till - – — ‒ ― −",
    "or": "or oder ou o u of или lub albo eller",
    "dash": "- – — ‒ ― − /",
    "filler": """
        the of in on at a an year years y yr yrs during
        des der die das den dem im jahr jahre jahren jahres le la les l du de d en an ans annee siecles
        el los las del anno il lo gli della dell nel nell negli dello do da dos das ao aos
        het van av aan ar aret artal в во г гг год года годы году годов годах w we r roku rok n
        e ad ce
    """,
    "decade": """
        decade decades decada decadas decennie decennies decennio decennium annees anos anni lata latach lat jaren
        десятилетие dekada dekade artionde
    """,
    "decade_suffix": "s ies er ers talet tal tallet е х ые ых",
    "century": """
        century cent c centuries jahrhundert jahrhunderts jahrhunderte jh jhd jhs jhdt siecle siecles s siglo siglos
        secolo secoli sec seculo seculos eeuw eeuwen век века веков веке в вв wiek wieku wieki w ww arhundradet
        arhundrade arhundradets arhundrede saec saeculum
    """,
    "ordinal_suffix": "st nd rd th e er ere re eme ieme nde ste de o a ª º я й ый ой ая го ом м t",
}
_THIRDS = (  # the first, the second and the last third
    """
        early beginning start anfang beginn fruhes fruhe fruhen debut principios principio comienzos comienzo inicios
        inicio inizio inizi principi comeco comecos begin vroege vroeg начало начале нач poczatek poczatku pocz borjan
        tidigt tidiga begyndelsen begynnelsen
    """,
    """
        mid middle mitte milieu mediados meta meados midden середина середине середины сер polowa polowie pol
        mitten midten
    """,
    """
        late end spates spate spaten ende fin finales finais final fines fine finis fim eind einde laat конец конце
        конца кон koniec koncu kon slutet sent sena slutningen slutten
    """,
)
_FRACTIONS = {
    2: """
        half halves halfte moitie mitad meta metade helft половина половине половины пол polowa polowie polowy pol
        halften halvdel halvdelen
    """,
    3: "third drittel tiers tercio terzo terco derde треть трети tercja tredjedel tredjedelen",
    4: """
        quarter viertel quart quarto cuarto quartel kwart четверть четверти cwierc cwierci cw kvartal kvartalet
        fjardedel fjardedelen
    """,
    10: "decade jahrzehnt decennie decennio decada decennium десятилетие dekada artiondet",
}
_ORDINALS = {
    1: """
        first erste ersten erster erstes premier premiere primer primera primero primo prima primeiro primeira eerste
        первая первый первой pierwsza pierwszy pierwszej pierwsze forsta
    """,
    2: """
        second zweite zweiten zweiter zweites deuxieme seconde segundo segunda secondo seconda tweede вторая второй
        второе druga drugi drugiej drugie andra
    """,
    3: """
        third dritte dritten dritter drittes troisieme tercer tercera tercero terzo terza terceiro terceira derde
        третья третий третьей trzecia trzeci trzeciej tredje
    """,
    4: """
        fourth vierte vierten vierter viertes quatrieme cuarto cuarta quarto quarta vierde четвертая четвертой четвертый
        czwarta czwarty czwartej fjarde
    """,
    -1: """
        last final letzte letzten letzter letztes dernier derniere ultimo ultima laatste последняя последний последней
        ostatnia ostatni ostatniej sista
    """,
}
_TEENS = "fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth"
_TEENS += " eighteenth nineteenth twentieth"
_SEASONS = (  # spring, summer, autumn, winter, as EDTF numbers them from 21
    "spring fruhling fruhjahr printemps primavera lente voorjaar весна весной весны wiosna wiosny varen var",
    "summer sommer ete verano estate verao zomer лето летом лета lato latem sommaren sommar sommeren",
    "autumn fall herbst automne otono autunno outono herfst najaar осень осенью осени jesien jesieni hosten host",
    "winter hiver invierno inverno зима зимой зимы zima zimy vintern vinter vinteren",
)
# without spaces and punctuation; those of two letters need full stops, but for nd, which stands for nothing else
_UNKNOWN = """
nd undated nodate unknown unknowndate dateunknown datenotknown notknown notdated dateuncertain nodategiven withoutdate
sd sa sl od oj ohnedatum ohnejahr undatiert unbekannt datumunbekannt sansdate nondate nondatee dateinconnue inconnu
nichtdatiert sanslieunidate slnd
inconnue sf sinfecha sinano desconocido desconocida fechadesconocida senzadata ignoto ignota sconosciuto sconosciuta
nondatato datasconosciuta semdata desconhecido desconhecida datadesconhecida zd zj zonderdatum zonderjaar ongedateerd
onbekend бг бд бездаты безгода неизвестно неизвестна неизвестен датанеизвестна недатировано недатирован недатирована
bd br bezdaty bezroku nieznana nieznany niedatowany niedatowana niedatowane dataniezn nieznanadata ua utanar odaterad
odaterat okand okant udateret udatert ukendt ukjent sineanno sinedato sinedata
"""

_STROKES = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ß": "ss", "æ": "ae"})


def plain_word(word: str) -> str:
    """A word in lower case, without accents and strokes."""
    return plain_letters(word).translate(_STROKES)


@cache
def words_of(role: str) -> frozenset[str]:
    """The words of one role: circa, before, century and so on."""
    return frozenset(map(plain_word, _ROLES[role].split()))


@cache
def thirds() -> dict[str, int]:
    """Words for the first, the second and the last third of a time, as 0, 1 and 2."""
    return {plain_word(word): number for number, words in enumerate(_THIRDS) for word in words.split()}


@cache
def fractions() -> dict[str, int]:
    """Words for a half, a third, a quarter or a tenth, and how many of them there are."""
    return {plain_word(word): size for size, words in _FRACTIONS.items() for word in words.split()}


@cache
def ordinals() -> dict[str, int]:
    """Words for first, second and so on as numbers, the last as -1."""
    found = {plain_word(word): number for number, words in _ORDINALS.items() for word in words.split()}
    return found | {word: number for number, word in enumerate(_TEENS.split(), 5)}


@cache
def seasons() -> dict[str, int]:
    """Names of seasons, and the numbers that EDTF has for them."""
    return {plain_word(word): number for number, words in enumerate(_SEASONS, 21) for word in words.split()}


@cache
def unknown_dates() -> frozenset[str]:
    """What is written for no date, without spaces and punctuation."""
    return frozenset(map(plain_word, _UNKNOWN.split()))
