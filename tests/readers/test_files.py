"""The files that decide what is read from a source."""

import subprocess

import numpy as np
import pytest

from chronotope import Corpus
from chronotope.readers.files import source_files


def test_a_table_decides_alone_or_with_the_table_given(tmp_path):
    for name in ("texts.csv", "dates.csv"):
        (tmp_path / name).write_text("date,text\n1900,war\n")
    assert source_files(tmp_path / "texts.csv") == ([tmp_path / "texts.csv"], [])
    both = source_files(tmp_path / "texts.csv", table=tmp_path / "dates.csv")
    assert both.files == [tmp_path / "texts.csv", tmp_path / "dates.csv"]


def test_of_a_folder_all_texts_and_tables_decide_and_the_names_of_others(tmp_path):
    folder = tmp_path / "letters"
    (folder / "inner").mkdir(parents=True)
    for name in ("letters/a.txt", "letters/inner/b.md", "letters/metadata.csv", "metadata.tsv", "letters.jsonl"):
        (tmp_path / name).write_text("x")
    (tmp_path / "other.txt").write_text("x")
    before = source_files(folder)
    names = {path.relative_to(tmp_path).as_posix() for path in before.files}
    assert names == {"letters/a.txt", "letters/inner/b.md", "letters/metadata.csv", "metadata.tsv", "letters.jsonl"}
    (folder / "picture.png").write_text("x")
    after = source_files(folder)
    assert after.files == before.files
    assert after.notes != before.notes


@pytest.mark.parametrize("name", ["ap-mult.dat", "ap.mtx", "ap-mult.dat.gz"])
def test_counts_are_decided_by_the_files_beside_them_too(tmp_path, name):
    for each in (name, "ap-seq.dat", "vocab.txt", "ap-times.txt", "another.txt"):
        (tmp_path / each).write_text("1")
    names = {path.name for path in source_files(tmp_path / name).files}
    assert names == {name, "ap-seq.dat", "vocab.txt", "ap-times.txt"}


def test_all_files_of_a_corpus_on_disk_decide(tmp_path):
    Corpus(np.eye(3, dtype=int), [1.0, 2.0, 3.0]).save(tmp_path / "corpus")
    assert set(source_files(tmp_path / "corpus").files) == set((tmp_path / "corpus").iterdir())


def test_no_few_files_decide_a_git_history(tmp_path):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / "a.txt").write_text("x")
    assert source_files(tmp_path) is None
    assert source_files(tmp_path, format="folder").files == [tmp_path / "a.txt"]


def test_a_source_that_does_not_exist_is_an_error(tmp_path):
    with pytest.raises((OSError, ValueError)):
        source_files(tmp_path / "no.csv")
