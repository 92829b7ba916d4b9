"""NIPS papers: every collection people have gives papers at their years."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from chronotope.datasets import nips
from chronotope.datasets.papers import year_of_volume
from chronotope.text.options import Preprocessing

SMALL = Preprocessing(min_count=1)
SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "nips_1987_2003"


@pytest.mark.parametrize("folders", [("nips00", "nips12"), ("1987", "1999"), ("NIPS-00", "NIPS-12")])
def test_yearly_folders_date_their_papers(tmp_path: Path, folders: tuple[str, str]) -> None:
    for folder in folders:
        (tmp_path / folder).mkdir()
        for number in ("0001", "2001"):
            (tmp_path / folder / f"{number}.txt").write_text(f"neurons of volume {folder}")
    corpus = nips(tmp_path, SMALL)
    assert corpus.times.tolist() == [1987, 1987, 1999, 1999]
    assert corpus.calendar
    assert corpus.ids.tolist()[0] == f"{folders[0]}/0001.txt"


def test_the_table_of_kaggle_is_read(tmp_path: Path) -> None:
    with open(tmp_path / "papers.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "year", "title", "event_type", "pdf_name", "abstract", "paper_text"])
        writer.writerow([1, 1987, "A title", "", "1.pdf", "Abstract Missing", "neurons,\nneurons"])
        writer.writerow([2, 2016, "Another", "", "2.pdf", "Abstract Missing", "gradients"])
    for path in (tmp_path, tmp_path / "papers.csv"):
        corpus = nips(path, SMALL)
        assert corpus.times.tolist() == [1987, 2016]
        assert corpus.vocabulary.tolist() == ["gradients", "neurons"]
        assert corpus.metadata is not None
        assert corpus.metadata["title"].tolist() == ["A title", "Another"]


def test_json_lines_are_read(tmp_path: Path) -> None:
    lines = "\n".join(json.dumps({"id": f"n{year}", "time": str(year), "text": "neurons"}) for year in (1987, 2003))
    (tmp_path / "docs.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    assert len(nips(tmp_path, SMALL, limit=1)) == 1
    assert nips(tmp_path / "docs.jsonl.gz", SMALL, keep_texts=False).times.tolist() == [1987, 2003]


@pytest.mark.parametrize(("name", "year"), [("nips00", "1987"), ("nips12raw", "1999"), ("1990", "1990"), ("x", None)])
def test_a_volume_has_its_year(name: str, year: str | None) -> None:
    assert year_of_volume(name) == year


def test_a_missing_path_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"there is no file or folder"):
        nips(tmp_path / "none")


@pytest.mark.skipif(not SHARED.is_dir(), reason="the NIPS papers are not beside the repository (../shared/data)")
@pytest.mark.slow
def test_the_real_papers_are_read() -> None:
    corpus = nips(SHARED, limit=400, keep_texts=False)
    assert len(corpus) == 400
    assert corpus.span[0] < 1990
    assert corpus.calendar
    assert {"network", "neural", "learning"} <= set(corpus.vocabulary)
    assert (np.diff(corpus.times) >= 0).all()
