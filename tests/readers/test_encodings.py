"""Encodings: bytes of many scripts give the text they were made of, Western text whatever its length."""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from chronotope.readers import read, read_corpus
from chronotope.readers.encodings import decode, find_encoding
from chronotope.readers.textfile import TextFile

RUSSIAN = """\
Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему.
Все смешалось в доме Облонских. Жена узнала, что муж был в связи с бывшею в их доме француженкою-гувернанткой.
Положение это продолжалось уже третий день и мучительно чувствовалось и самими супругами, и всеми членами семьи.
"""
JAPANESE = """\
吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。
何でも薄暗いじめじめした所でニャーニャー泣いていた事だけは記憶している。
吾輩はここで始めて人間というものを見た。しかもあとで聞くとそれは書生という人間中で一番獰悪な種族であったそうだ。
"""
WESTERN = (
    "Als Gregor Samsa eines Morgens aus unruhigen Träumen erwachte, fand er sich in seinem Bett zu einem ungeheueren\n"
    "Ungeziefer verwandelt. „Was ist mit mir geschehen?“, dachte er. Es war kein Traum – sein Zimmer lag ruhig da.\n",
    "Longtemps, je me suis couché de bonne heure. Parfois, à peine ma bougie éteinte, mes yeux se fermaient si vite\n"
    "que je n’avais pas le temps de me dire : « Je m’endors. » Une demi-heure après, la pensée m’éveillait.\n",
    "En un lugar de la Mancha, de cuyo nombre no quiero acordarme, no ha mucho tiempo que vivía un hidalgo. ¿Quién?\n"
    "Frisaba la edad de nuestro hidalgo con los cincuenta años; era de complexión recia, gran madrugador.\n",
    "“I don’t know,” she said – and that was that. The President’s message said: “we shall pay the debt.”\n"
    "It’s a café in the old town, isn’t it? “No,” he said, “it’s naïve to think so.”\n",
    "Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de razão e de consciência,\n"
    "devem agir uns para com os outros em espírito de fraternidade. Não será feita nenhuma distinção.\n",
    "Alla människor är födda fria och lika i värde och rättigheter. De har utrustats med förnuft och samvete\n"
    "och bör handla gentemot varandra i en anda av gemenskap. Var och en har rätt till liv och säkerhet.\n",
)
OTHERS = {  # Article 1 of the Declaration of Human Rights
    "koi8_u": "Всі люди народжуються вільними і рівними у своїй гідності та правах. Вони наділені розумом і совістю.\n",
    "cp1250": "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a svědomím\n"
    "a mají spolu jednat v duchu bratrství. Každý má právo na život, svobodu a osobní bezpečnost.\n",
    "cp1254": "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler ve\n"
    "birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler. Yaşamak her ferdin hakkıdır.\n",
    "cp1253": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.\n",
    "cp1256": "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. وقد وهبوا عقلا وضميرا وعليهم أن يعامل بعضهم بعضا.\n",
    "cp874": "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ ต่างมีเหตุผลและมโนธรรม\n",
    "gb18030": "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。\n",
    "big5": "人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心，並應以兄弟關係的精神相對待。\n",
    "euc_kr": "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 양심을\n"
    "부여받았으며 서로 형제애의 정신으로 행동하여야 한다.\n",
}


def lines(path: Path) -> tuple[str, list[str]]:
    notes: list[str] = []
    return "".join(TextFile(path, None, None, notes.append)), notes


def test_bytes_are_decoded_by_mark_by_utf8_or_by_windows_1252() -> None:
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "cp1252"):
        assert decode("é".encode(encoding)) == ("é", encoding)
    assert decode(b"\x81") == ("\ufffd", "cp1252")


@pytest.mark.parametrize("encoding", ["cp1251", "koi8_r", "cp866", "iso8859_5"])
def test_russian_is_decoded(encoding: str) -> None:
    assert decode(RUSSIAN.encode(encoding)) == (RUSSIAN, encoding)


@pytest.mark.parametrize(("encoding", "found"), [("shift_jis", "cp932"), ("cp932", "cp932"), ("euc_jp", "euc_jp")])
def test_japanese_is_decoded(encoding: str, found: str) -> None:
    assert decode(JAPANESE.encode(encoding)) == (JAPANESE, found)


@pytest.mark.parametrize(("encoding", "text"), OTHERS.items(), ids=list(OTHERS))
def test_other_scripts_are_decoded(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding)).text == text


@pytest.mark.parametrize("text", WESTERN)
def test_western_text_is_decoded_whatever_its_length(text: str) -> None:
    for times in (1, 50):
        assert decode((text * times).encode("cp1252")) == (text * times, "cp1252")
    words = text.split()
    for n in range(1, len(words)):
        part = " ".join(words[:n])
        assert decode(part.encode("cp1252")).text == part


def test_a_start_that_ends_within_a_character_is_recognised() -> None:
    for encoding, text in (("utf-8", RUSSIAN), ("cp932", JAPANESE), ("euc_jp", JAPANESE)):
        data = (text * 3).encode(encoding)
        for cut in range(1, 5):
            assert find_encoding(data[:-cut], is_all=False) == encoding


@pytest.mark.parametrize(
    ("text", "encoding"),
    [(RUSSIAN, "cp1251"), (RUSSIAN, "koi8_r"), (JAPANESE, "cp932"), (JAPANESE, "euc_jp")],
)
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_a_legacy_encoding_is_found_for_the_whole_file(write: Any, text: str, encoding: str, compress: Any) -> None:
    text = "ascii\n" * 50 + text
    path = write("a.txt", compress(text.encode(encoding)))
    assert lines(path) == (text, [f"a.txt is not UTF-8; read as {encoding}"])


@pytest.mark.parametrize("text", WESTERN)
def test_western_text_is_windows_1252_line_by_line(write: Any, text: str) -> None:
    assert lines(write("a.txt", "Größe\n".encode() + text.encode("cp1252"))) == (
        "Größe\n" + text,
        ["a.txt is not all UTF-8; lines that are not were read as Windows-1252 (first: line 2)"],
    )


def test_text_in_utf8_but_for_one_line_stays_utf8(write: Any) -> None:
    bad = "naïve “quotes” over café\n"
    data, text = RUSSIAN.encode() + bad.encode("cp1252") + RUSSIAN.encode(), RUSSIAN + bad + RUSSIAN
    assert lines(write("a.txt", data)) == (
        text,
        ["a.txt is not all UTF-8; lines that are not were read as Windows-1252 (first: line 4)"],
    )
    assert decode(data) == decode(b"\xef\xbb\xbf" + data) == (text, "cp1252")


def test_text_too_short_to_tell_is_windows_1252(write: Any) -> None:
    assert lines(write("a.txt", "налог\nвойна\n".encode("koi8-r"))) == (
        "ÎÁÌÏÇ\n×ÏÊÎÁ\n",
        ["a.txt is not all UTF-8; lines that are not were read as Windows-1252 (first: line 1)"],
    )


def test_bytes_that_do_not_fit_the_encoding_found_are_replaced_and_said(write: Any) -> None:
    text, notes = lines(write("a.txt", JAPANESE.encode("cp932") * 3000 + b"\x81 \n"))
    assert text == JAPANESE * 3000 + "\ufffd \n"
    assert notes == [
        "a.txt is not UTF-8; read as cp932",
        "a.txt is not all cp932; other bytes were replaced (first: line 9001)",
    ]


def test_a_table_in_a_legacy_encoding_becomes_a_corpus_that_says_so(write: Any) -> None:
    texts = RUSSIAN.replace(",", "").splitlines()
    rows = ["date,text", *(f"{1861 + i},{text}" for i, text in enumerate(texts))]
    path = write("a.csv", "\n".join(rows).encode("koi8-r"))
    assert [record.text for record in read(path)] == texts
    corpus = read_corpus(path)
    assert "семьи" in corpus.vocabulary
    assert corpus.report is not None
    assert corpus.report.notes[0] == "a.csv is not UTF-8; read as koi8_r"


def test_a_large_file_in_a_legacy_encoding_is_read_in_bounded_memory(write: Any) -> None:
    data = RUSSIAN.encode("cp1251")
    path = write("a.txt", data * (16 * 2**20 // len(data)))
    find_encoding(data)  # imports
    tracemalloc.start()
    try:
        total = sum(len(line) for line in TextFile(path))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert total == path.stat().st_size
    assert peak < 8 * 2**20


def test_files_of_a_folder_are_decoded_one_by_one(write: Any, tmp_path: Path) -> None:
    texts = {"1861.txt": (RUSSIAN, "koi8_r"), "1862.txt": (JAPANESE, "euc_jp"), "1863.txt": (WESTERN[0], "cp1252")}
    for name, (text, encoding) in (texts | {"1864.txt": (RUSSIAN, "koi8_r"), "1865.txt": ("ok", "utf-8")}).items():
        write(name, text.encode(encoding))
    reading = read(tmp_path)
    assert [record.text for record in reading] == [RUSSIAN, JAPANESE, WESTERN[0], RUSSIAN, "ok"]
    assert [note for note in reading.notes if "UTF-8" in note] == [
        f"not all files are UTF-8; {name} was read as {encoding}, and so may be others"
        for name, (_, encoding) in texts.items()
    ]


def test_a_mail_that_names_no_character_set_is_decoded(write: Any) -> None:
    head = b"From a@x Mon Mar  4 10:00:00 2013\nDate: Mon, 4 Mar 2013 10:00:00 +0100\n\n"
    (record,) = read(write("a.mbox", head + RUSSIAN.encode("koi8-r")))
    assert record.text == RUSSIAN.strip()
