"""The page of a report that dates texts, on the command line: asked for, its size said, and when it is refused."""

import pytest

SMALL = ("--topics", 2, "--epochs", 2, "--stop-words", "none")


@pytest.fixture(scope="module")
def many(texts, tmp_path_factory):
    """Three times the texts, enough to learn to date."""
    path = tmp_path_factory.mktemp("many") / "many.csv"
    head, *rows = texts.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([head, *rows, *rows, *rows]), encoding="utf-8")
    return path


def test_a_fit_and_a_report_write_it_and_say_its_size(run, many, tmp_path):
    model, page, again = tmp_path / "model.ct", tmp_path / "page.html", tmp_path / "again.html"
    result = run("fit", many, *SMALL, "--dating", "--out", model, "--report", page, "--dating-page")
    assert result.exit_code == 0, result.output
    assert "MB are for the page that dates texts" in result.stderr
    assert '"dating":{"nodes"' in page.read_text(encoding="utf-8")
    for _ in range(2):  # the second time from what is kept beside the model
        result = run("report", model, many, "--out", again, "--dating-page", "--force")
        assert result.exit_code == 0, result.output
        assert "MB are for the page that dates texts" in result.stderr
        assert '"dating":{"nodes"' in again.read_text(encoding="utf-8")
    result = run("report", model, many, "--out", again, "--force")
    assert "dates texts" not in result.stderr
    assert '"dating":null' in again.read_text(encoding="utf-8")


def test_what_cannot_be_is_refused_in_a_sentence(run, texts, models, tmp_path):
    out = ("--out", tmp_path / "model.ct")
    result = run("fit", texts, *SMALL, *out, "--dating", "--dating-page")
    assert "are about the report; pass --report report.html too" in " ".join(result.stderr.split())
    result = run("fit", texts, *SMALL, *out, "--report", tmp_path / "r.html", "--dating-page")
    assert "pass --dating too" in " ".join(result.stderr.split())
    result = run("report", models[0], texts, "--out", tmp_path / "r.html", "--dating-page")
    assert result.exit_code != 0
    assert "has not learned to date texts" in " ".join(result.stderr.split())
    assert not list(tmp_path.iterdir())
