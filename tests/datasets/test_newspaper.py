"""The New York Times corpus: monthly archives are streamed, bad files are counted and said."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import numpy as np
import pytest

from chronotope.datasets import articles, new_york_times
from chronotope.datasets import newspaper as module
from chronotope.text.options import Preprocessing

SMALL = Preprocessing(min_count=1)


def nitf(number: int, day: str, text: str) -> bytes:
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE nitf SYSTEM "http://www.nitf.org/IPTC/NITF/3.3/specification/dtd/nitf-3-3.dtd">
<nitf><head><docdata><doc-id id-string="{number}"/></docdata><pubdata date.publication="{day}T000000"/></head>
<body><body.head><hedline><hl1>Headline {number}</hl1></hedline></body.head>
<body.content><block class="full_text"><p>{text}</p></block></body.content></body></nitf>""".encode()


def archive(path: Path, files: dict[str, bytes]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path


@pytest.fixture
def corpus_folder(tmp_path: Path) -> Path:
    """Two years, three months; one file is broken, one has no text, one is no article."""
    data = tmp_path / "nyt_corpus" / "data"
    first = {"01/01/0000000.xml": nitf(0, "19870101", "war and peace"), "01/02/0000001.xml": b"<nitf><head>"}
    archive(data / "1987" / "01.tgz", first | {"01/02/0000002.xml": nitf(2, "19870102", ""), "README": b"x"})
    archive(data / "1987" / "02.tgz", {"02/01/0000003.xml": nitf(3, "19870201", "bread and wine")})
    archive(data / "2007" / "06.tgz", {"06/19/1855670.xml": nitf(1855670, "20070619", "peace at last")})
    (data.parent / "docs").mkdir()
    return data.parent


def test_articles_are_read_from_all_archives_in_order(corpus_folder: Path) -> None:
    for path in (corpus_folder, corpus_folder / "data"):
        corpus = new_york_times(path, preprocessing=SMALL)
        assert corpus.ids.tolist() == ["0", "3", "1855670"]
        np.testing.assert_allclose(corpus.times, [1987, 1987 + 31 / 365, 2007 + 169 / 365], rtol=1e-15)
        assert corpus.metadata is not None
        assert corpus.metadata["headline"].tolist() == ["Headline 0", "Headline 3", "Headline 1855670"]
        assert corpus.texts is None
        assert corpus.report is not None
        assert corpus.report["unreadable article"].documents == 1
        assert corpus.report["no text"].documents == 1


def test_years_and_a_limit_are_options(corpus_folder: Path) -> None:
    assert new_york_times(corpus_folder, [2007], SMALL, keep_texts=True).texts.tolist() == ["peace at last"]  # type: ignore[union-attr]
    assert len(new_york_times(corpus_folder, range(1987, 1988), SMALL, limit=1)) == 1
    with pytest.raises(ValueError, match=r"there are no archives of 1999 in .*data'; check years="):
        new_york_times(corpus_folder, [1987, 1999])


def test_the_generator_gives_articles_and_warns_of_bad_files(corpus_folder: Path) -> None:
    with pytest.warns(
        UserWarning, match=r"2 files were dropped: 1 × unreadable article \(1987/01.tgz/01/02/0000001.xml"
    ):
        found = list(articles(corpus_folder))
    assert found[0] == ("0", "1987-01-01", "Headline 0", "war and peace")
    assert [article.date for article in articles(corpus_folder, [2007])] == ["2007-06-19"]


def test_a_damaged_archive_is_counted_and_the_next_is_read(corpus_folder: Path) -> None:
    path = corpus_folder / "data" / "1987" / "02.tgz"
    path.write_bytes(path.read_bytes()[:-30])
    (corpus_folder / "data" / "1987" / "03.tgz").write_bytes(b"no archive")
    corpus = new_york_times(corpus_folder, preprocessing=SMALL)
    assert corpus.report is not None
    assert corpus.report["damaged archive"].documents == 2
    assert corpus.ids.tolist()[-1] == "1855670"


def test_a_file_too_large_is_counted(corpus_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LARGEST", 600)
    long = nitf(9, "19870301", "war " * 1000)
    archive(corpus_folder / "data" / "1987" / "03.tgz", {"a.xml": long, "b.xml": nitf(10, "19870302", "war")})
    with pytest.warns(UserWarning, match=r"empty file, or over 0 MB"):
        assert "10" in {article.id for article in articles(corpus_folder, [1987])}


def test_nothing_is_written_beside_the_archives(corpus_folder: Path) -> None:
    before = sorted(corpus_folder.rglob("*"))
    new_york_times(corpus_folder, preprocessing=SMALL)
    assert sorted(corpus_folder.rglob("*")) == before


def test_a_folder_without_archives_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"there are no archives such as 1987/01.tgz in"):
        new_york_times(tmp_path)
