"""A corpus folder that workers have built is that of one process, to the last bit."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from shards import WORDS, AnyOrder, dying_split, rows_of, write_tables

import chronotope as ct
from chronotope.cli.io import read_documents
from chronotope.cli.options import CorpusOptions
from chronotope.readers import read, read_corpus, records

OPTIONS = {
    "default": ct.Preprocessing(),
    "phrases": ct.Preprocessing(phrases=ct.Phrases(2, 0.0), duplicates="drop", min_document_words=6, min_count=1),
    "lemmas": ct.Preprocessing(lemmatize=str.upper, duplicates=None, max_vocabulary=30),
    "vocabulary": ct.Preprocessing(vocabulary=[*WORDS[:20], "nowhere", "bam_bam"], duplicates="drop"),
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tables(tmp_path_factory.mktemp("tables") / "docs")


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.filterwarnings("ignore:how texts were prepared is not saved")  # a function of lemmas
@pytest.mark.parametrize("options", OPTIONS.values(), ids=list(OPTIONS))
@pytest.mark.parametrize("named", [{}, {"id": "name", "start": 1905, "metadata": ["date"]}], ids=["rows", "names"])
def test_workers_build_the_folder_of_one_process(
    client: Any, tables: Path, tmp_path: Path, options: ct.Preprocessing, named: dict[str, Any]
) -> None:
    alone = read_corpus(tables, options, folder=tmp_path / "alone", **named)
    together = read_corpus(tables, options, folder=tmp_path / "together", engine=client, **named)
    assert files(tmp_path / "together") == files(tmp_path / "alone")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["alone", "together"]
    held = read_corpus(tables, options, **named)
    assert (together.counts != held.counts).nnz == 0
    assert together.report is not None
    assert alone.report == together.report
    assert any("unreadable time" in note and "broken JSON" in note for note in together.report.notes)


@pytest.mark.parametrize("order", range(3))
def test_neither_order_nor_repetition_of_the_work_matters(
    tables: Path, tmp_path: Path, order: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = OPTIONS["phrases"]
    read_corpus(tables, options, folder=tmp_path / "alone", id="name")
    monkeypatch.setattr(records, "check_client", lambda engine: None)
    monkeypatch.setattr(records, "Workers", AnyOrder)
    read_corpus(tables, options, folder=tmp_path / "together", id="name", engine=order)
    assert files(tmp_path / "together") == files(tmp_path / "alone")


def test_how_rows_are_divided_among_files_changes_nothing_but_their_places(tmp_path: Path) -> None:
    rows = pd.concat([rows_of(seed, 30) for seed in range(4)], ignore_index=True)
    for n in (1, 3, 7):
        for i in range(n):
            rows[len(rows) * i // n : len(rows) * (i + 1) // n].to_csv(_below(tmp_path / f"in{n}", f"{i}.csv"))
    alone, *others = (
        read_corpus(tmp_path / f"in{n}", OPTIONS["phrases"], folder=tmp_path / f"out{n}") for n in (1, 3, 7)
    )
    for other in others:
        assert other.digest() == alone.digest()
        assert other.ids.tolist() == alone.ids.tolist()
        assert other.report.removed == alone.report.removed  # type: ignore[union-attr]


def _below(folder: Path, name: str) -> Path:
    folder.mkdir(exist_ok=True)
    return folder / name


@pytest.mark.parametrize("name", ["part-0.parquet", "part-2.jsonl", "diary"])
def test_what_is_not_many_tables_is_read_by_one_worker(client: Any, tables: Path, tmp_path: Path, name: str) -> None:
    for year in range(1861, 1865):
        (_below(tmp_path / "diary", f"{year}.txt")).write_text("War and peace, bread and wine")
    source = (tmp_path if name == "diary" else tables) / name
    read_corpus(source, folder=tmp_path / "alone")
    read_corpus(source, folder=tmp_path / "together", engine=client)
    assert files(tmp_path / "together") == files(tmp_path / "alone")


def test_a_reading_says_what_workers_have_dropped(client: Any, tables: Path, tmp_path: Path) -> None:
    alone, together = read(tables), read(str(tables / "part-*"))
    n = len(list(alone))
    corpus = together.to_corpus(folder=tmp_path / "corpus", engine=client)
    assert together.n_records == n
    assert str(together.dropped) == str(alone.dropped)
    assert [note for note in together.notes if "part-3" in note] == [note for note in alone.notes if "part-3" in note]
    assert len(corpus) <= n


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:how texts were prepared is not saved")
def test_a_worker_that_is_killed_while_it_reads_changes_nothing(client: Any, tables: Path, tmp_path: Path) -> None:
    options = ct.Preprocessing(tokenizer=partial(dying_split, str(tmp_path / "died")))
    read_corpus(tables, options, folder=tmp_path / "together", engine=client)
    assert (tmp_path / "died").exists()
    read_corpus(tables, options, folder=tmp_path / "alone")
    assert files(tmp_path / "together") == files(tmp_path / "alone")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["alone", "died", "together"]


def test_what_a_killed_process_has_left_is_removed(client: Any, tables: Path, tmp_path: Path) -> None:
    left = tmp_path / ".corpus-0123abcd"
    (left / "1.counts.unfinished").mkdir(parents=True)
    (left / "2.tokens").write_bytes(b"1234")
    read_corpus(tables / "part-0.parquet", folder=tmp_path / "corpus", engine=client)
    assert [path.name for path in tmp_path.iterdir()] == ["corpus"]


def test_what_workers_cannot_do_is_refused_with_a_sentence(client: Any, tables: Path, tmp_path: Path) -> None:
    for options, message in (
        ({"folder": None}, "engine= builds a corpus in a folder, but none is given; pass folder= too"),
        ({"limit": 5}, "limit=5 draws records from the whole source, which workers cannot do"),
        ({"source": rows_of(0, 10)}, r"the table \(pandas table\) is not a file that workers can read; pass paths"),
        ({"engine": "tcp://x"}, "engine is 'tcp://x'; expected a Client of dask.distributed"),
        ({"text": "name", "start": 2000}, "no row of docs can be used: .* Are these the right columns"),
        ({"preprocessing": ct.Preprocessing(min_count=10_000)}, "nothing is left of 1.. documents"),
    ):
        given = {"source": tables, "folder": tmp_path / "corpus", "engine": client} | options
        with pytest.raises(ValueError, match=message):
            read_corpus(given.pop("source"), **given)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


def test_a_file_that_workers_do_not_see_is_named(client: Any, tmp_path: Path) -> None:
    path = tmp_path / "docs.csv"
    rows_of(0, 10).to_csv(path)
    reading = read([path])
    path.unlink()
    with pytest.raises(
        ValueError, match=r"a worker does not see '.*docs.csv'; the files of the corpus, and the folder"
    ):
        reading.to_corpus(folder=tmp_path / "corpus", engine=client)


def test_the_command_line_passes_a_client_on(client: Any, tables: Path, tmp_path: Path) -> None:
    source = CorpusOptions(str(tables / "part-*"), allow_loss=True)
    corpus = read_documents(source, quiet=True, on_disk=tmp_path / "corpus", engine=client)
    assert len(corpus) == json.loads((tmp_path / "corpus" / "corpus.json").read_text())["documents"]
