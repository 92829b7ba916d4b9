"""Rough dates on the command line: used by default, said in the summary of what was read, dropped if asked."""

SMALL = ("--topics", 2, "--epochs", 2, "--stop-words", "none")
ROUGH = ("circa 1905", "1910s", "n.d.")


def table_of(texts, path):
    """The texts with a dozen rough dates more."""
    rows = [f"{ROUGH[i % 3]},war army navy battle enemy soldiers" for i in range(12)]
    path.write_text(texts.read_text(encoding="utf-8") + "\n".join(rows), encoding="utf-8")
    return path


def test_what_was_read_says_how_many_dates_are_rough_and_how_they_were_understood(run, texts, tmp_path):
    result = run("fit", table_of(texts, tmp_path / "rough.csv"), *SMALL, "--dry-run", "--out", tmp_path / "model.ct")
    assert result.exit_code == 0, result.output
    assert result.stderr.count("dates: 60 exact, 8 rough, 4 unknown") == 1
    assert "'1910s' as 1910 to 1919" in " ".join(result.stderr.split())


def test_dropped_they_are_unreadable_and_wrong_words_are_refused(run, texts, tmp_path):
    path = table_of(texts, tmp_path / "rough.csv")
    result = run("fit", path, *SMALL, "--dry-run", "--rough-dates", "drop", "--out", tmp_path / "model.ct")
    assert result.exit_code == 0, result.output
    assert "12 × unreadable time" in result.stderr
    assert "exact" not in result.stderr
    assert "--rough-dates drop" not in result.stdout
    refused = run("fit", path, *SMALL, "--dry-run", "--rough-dates", "keep", "--out", tmp_path / "model.ct")
    assert refused.exit_code != 0
    assert 'expected "use" or "drop"' in " ".join(refused.stderr.split())
