"""The table of a comparison: means, spreads, ratios and failures, from runs made by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from chronotope.evaluate import Comparison
from chronotope.evaluate.runs import Failure, Run


def run(name: str, seed: int, perplexity: float, **parameters: float) -> Run:
    alpha = {"lowest": 0.4, "mean": 0.4, "highest": 0.4}
    text = f"{name}()"
    return Run(name, seed, perplexity, 2.0 + seed, 10.0, 1, 2, True, text, parameters, alpha, [-5.0, -4.0], [8.0, 16.0])


@pytest.fixture
def comparison() -> Comparison:
    runs = (
        *(
            run("wiener", 0, 1000.0, variance=0.02, origin=1900.0),
            run("wiener", 1, 1020.0, variance=0.02, origin=1900.0),
        ),
        *(run("ou", 0, 900.0, variance=6.0, length_scale=50.0), run("ou", 1, 950.0, variance=6.0, length_scale=61.239)),
        run("se", 1, 1122.0, variance=3.0),
    )
    failures = (Failure("se", 0, "it ended badly."), Failure("cauchy", 0, "no."), Failure("cauchy", 1, "no."))
    return Comparison(("wiener", "ou", "se", "cauchy"), "wiener", runs, failures, "two seeds")


def test_the_table_is_what_its_columns_say(comparison):
    table = comparison.table().set_index("kernel")
    assert table.index.tolist() == ["wiener", "ou", "se", "cauchy"]
    np.testing.assert_allclose(table["perplexity"][:3], [1010.0, 925.0, 1122.0], rtol=1e-12)
    np.testing.assert_allclose(table["sd"][:2], [200**0.5, 1250**0.5], rtol=1e-12)
    np.testing.assert_allclose(table["standard_error"][:3], [2.5, 2.5, 3.0], rtol=1e-12)
    assert table["runs"].tolist() == [2, 2, 1, 0]
    assert np.isnan(table["sd"]["se"])
    assert np.isnan(table.loc["cauchy", ["perplexity", "ratio", "seconds"]].astype(float)).all()


def test_ratios_are_over_the_seeds_that_both_finished(comparison):
    ratio = comparison.table().set_index("kernel")["ratio"]
    np.testing.assert_allclose(ratio[:3], [1.0, 1850 / 2020, 1122 / 1020], rtol=1e-12)


def test_hyperparameters_are_a_range_where_seeds_differ(comparison):
    cells = comparison.table()["hyperparameters"].tolist()
    assert cells == ["variance 0.02", "variance 6, length_scale 50 to 61.24", "variance 3", ""]


def test_failures_are_sentences_in_the_table_and_below_it(comparison):
    assert comparison.table()["failed"].tolist() == ["", "", "seed 0: it ended badly.", "seed 0: no.; seed 1: no."]
    for text in (comparison.to_text(), comparison.to_markdown()):
        assert "failed: se, seed 0: it ended badly." in text
        assert "ratio: to wiener" in text
        assert "two seeds" in text
    row = next(line for line in comparison.to_text().splitlines() if line.startswith("cauchy"))
    assert row.split() == ["cauchy", "failed"]


def test_markdown_has_as_many_cells_in_every_row(comparison):
    rows = [line for line in comparison.to_markdown().splitlines() if line.startswith("|")]
    assert len(rows) == 2 + 4
    assert len({row.count("|") for row in rows}) == 1
    assert "| ou | 925.00 | 35 | 2.5 | 0.916 | 10 | variance 6, length_scale 50 to 61.24 |" in rows


def test_csv_holds_the_numbers(comparison, tmp_path):
    comparison.to_csv(tmp_path / "table.csv")
    read = pd.read_csv(tmp_path / "table.csv")
    np.testing.assert_allclose(read["perplexity"], comparison.table()["perplexity"], rtol=1e-12)


def test_the_best_has_the_lowest_mean(comparison):
    assert comparison.best == "ou"
    with pytest.raises(ValueError, match=r"none of the runs finished.*it ended badly"):
        _ = Comparison(("se",), "se", (), (Failure("se", 0, "it ended badly."),), "").best


def test_bounds_are_those_of_the_first_finished_run(comparison):
    assert comparison.bounds() == dict.fromkeys(("wiener", "ou", "se"), ([8.0, 16.0], [-5.0, -4.0]))
