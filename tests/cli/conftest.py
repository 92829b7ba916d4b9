"""A small file of dated texts, and models of them."""

import csv

import numpy as np
import pytest
from typer.testing import CliRunner

import chronotope as ct
from chronotope.cli import app

WAR = ("war", "army", "navy", "battle", "enemy", "soldiers")
FARM = ("wheat", "corn", "farm", "market", "price", "harvest")


def invoke(*arguments, stdin=None):
    """The command line in this process."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)


@pytest.fixture(scope="session")
def run():
    return invoke


@pytest.fixture(scope="session")
def texts(tmp_path_factory):
    """A table of 60 texts of 1900 to 1919 about war or farming."""
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("texts") / "texts.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["date", "text"])
        for i in range(60):
            rows.writerow([f"{1900 + i // 3}-03-01", " ".join(rng.choice(FARM if i % 2 else WAR, 30))])
    return path


@pytest.fixture(scope="session")
def models(texts, tmp_path_factory):
    """Two saved models of the texts, with different kernels."""
    folder = tmp_path_factory.mktemp("models")
    corpus = ct.read_corpus(texts)
    for kernel in ("ou(6, 50)", "wiener(0.2)"):
        model = ct.DynamicTopicModel(2, kernel, max_epochs=5, verbose=False).fit(corpus)
        model.save(folder / f"{kernel.partition('(')[0]}.ct")
    return folder / "ou.ct", folder / "wiener.ct"
