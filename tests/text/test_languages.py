"""Languages: every list is found by code and name, and texts in another language are noticed."""

from __future__ import annotations

import pytest

from chronotope.corpus.build import count_words
from chronotope.text.languages import LANGUAGES, stop_words
from chronotope.text.options import Preprocessing

SENTENCES = {
    "en": "The king of this country has said that he will not go to war with his neighbours: there is no money.",
    "de": "Der König dieses Landes hat gesagt, dass er nicht gegen seine Nachbarn kämpfen wird, weil kein Geld da ist.",
    "fr": "Le roi de ce pays a dit que cette fois il ne sera pas en guerre avec ses voisins, parce que c'est ainsi.",
    "es": "El rey de este país ha dicho que no irá a la guerra con sus vecinos, porque ya no queda dinero para nadie.",
    "it": "Il re del paese ha detto che non farà la guerra con i suoi vicini, perché non sono più ricchi come prima.",
    "pt": "O rei do país disse que não vai fazer guerra com os seus vizinhos, porque já não há dinheiro para nada.",
    "nl": "De koning van het land heeft gezegd dat hij niet tegen zijn buren zal strijden, omdat er geen geld meer is.",
    "sv": "Landets kung har sagt att han inte ska kriga mot sina grannar, eftersom det inte finns några pengar kvar.",
    "pl": "Król tego kraju mówi, że nie będzie walczył z nimi, bo jest już stary, ale tylko jeśli jego lud chce.",
    "ru": "Король этой страны сказал, что он не пойдёт на войну со своими соседями, потому что денег больше нет.",
    "fi": "Maan kuningas on sanonut, että hän ei lähde sotaan, koska rahaa ei enää ole ja koska kansa ei sitä halua.",
    "el": "Ο βασιλιάς και ο λαός δεν θέλουν τον πόλεμο με τους, αλλά την ειρήνη από όλους, που είναι για το καλό.",
}


@pytest.mark.parametrize("code", SENTENCES)
def test_the_language_is_found_out_when_asked_for(code: str) -> None:
    counted = count_words([SENTENCES[code]] * 5, Preprocessing(stop_words="auto"))
    assert counted.report.notes[0].startswith(f"the texts are taken for {LANGUAGES[code]}: ")
    assert counted.report["stop words"].words >= 5


@pytest.mark.parametrize("texts", [["war peace"], ["Zulassung Krieg Steuer Eisenbahn"] * 50])
def test_a_language_in_doubt_is_refused(texts: list[str]) -> None:
    with pytest.raises(ValueError, match=r"the language is not clear .*; name it, as stop_words='de'"):
        count_words(texts, Preprocessing(stop_words="auto"))


@pytest.mark.parametrize("code", [code for code in SENTENCES if code != "en"])
def test_texts_in_another_language_than_the_stop_words_are_warned_of(code: str) -> None:
    with pytest.warns(UserWarning, match=rf"the texts look {LANGUAGES[code]}: .* pass stop_words='{code}' if they are"):
        count_words([SENTENCES[code]] * 5)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("code", SENTENCES)
def test_the_right_stop_words_are_no_reason_to_warn(code: str) -> None:
    count_words([SENTENCES[code]] * 5, Preprocessing(stop_words=code))
    count_words([SENTENCES[code]] * 5, Preprocessing(stop_words=f"{code}, english"))


def test_there_are_lists_for_more_than_fifty_languages() -> None:
    import stopwordsiso

    assert set(stopwordsiso.langs()) <= set(LANGUAGES)
    assert all(stop_words(code) for code in stopwordsiso.langs())
    assert len(stopwordsiso.langs()) >= 50


def test_code_name_and_region_are_one_language() -> None:
    assert (
        stop_words("de") == stop_words("German") == stop_words(" GERMAN") == stop_words("de-AT") == stop_words("de_CH")
    )
    assert stop_words("no") == stop_words("nb") == stop_words("Norwegian")
    assert stop_words("de, fr") == stop_words("de") | stop_words("fr")
    assert {"don't", "the"} <= stop_words("english") == stop_words("en")


def test_a_language_that_has_no_list_is_refused_with_the_nearest() -> None:
    with pytest.raises(
        ValueError, match=r"stop_words is 'germn', which is not a known language; did you mean 'German'"
    ):
        Preprocessing(stop_words="germn")
    with pytest.raises(ValueError, match=r"known are Afrikaans, Arabic"):
        stop_words("klingon")


def test_contractions_are_stop_words_and_their_first_halves_are_not() -> None:
    counted = count_words(["I don't know a safe haven, and they haven\u2019t one. The king's."])
    assert list(counted.vocabulary) == ["haven", "king", "know", "safe"]
    removed = counted.report.removed_words("stop words")
    assert {"don't", "haven't"} <= set(removed["word"])


def test_what_was_removed_can_be_seen() -> None:
    texts = ["tax tax war", "tax rail", "tax war the peace", "the the"]
    counted = count_words(texts, Preprocessing(min_count=2, max_document_share=0.7))
    table = counted.report.removed_words()
    assert table.values.tolist() == [
        ["stop words", "the", 3, 2],
        ["rare words", "peace", 1, 1],
        ["rare words", "rail", 1, 1],
        ["widespread words", "tax", 4, 3],
    ]
    assert list(counted.report.removed_words("rare words")["word"]) == ["peace", "rail"]
    assert counted.report.removed_words("low-score words").empty
    with pytest.raises(ValueError, match=r"step is 'rare'; expected one of 'stop words', 'rare words'"):
        counted.report.removed_words("rare")
