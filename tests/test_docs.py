"""Every python block of the README and the guides runs; blocks of one file share their names, as a reader would.

A block marked text right after it is what it prints.
"""

import contextlib
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FILES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BETWEEN = 300  # characters of prose between a block and what it prints
NUMBER = re.compile(r"-?\d+\.\d+")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
@pytest.mark.slow
def test_code_blocks_run(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = path.read_text(encoding="utf-8")
    names = {"__name__": "__main__"}
    for block in BLOCK.finditer(text):
        line = text[: block.start(1)].count("\n")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * line + block[1], str(path), "exec"), names)
        shown = PRINTED.search(text, block.end())
        if shown and shown.start() - block.end() < BETWEEN and not BLOCK.search(text, block.end(), shown.start()):
            assert_printed(shown[1], printed.getvalue())


def assert_printed(shown, printed):
    """The same words, and the same numbers but for rounding."""
    assert NUMBER.sub("#", shown).split() == NUMBER.sub("#", printed).split()
    expected, found = (list(map(float, NUMBER.findall(text))) for text in (shown, printed))
    assert found == pytest.approx(expected, abs=0.011)


def test_the_readme_shows_what_its_example_prints():
    assert PRINTED.search(FILES[0].read_text(encoding="utf-8"))


def test_every_fence_marked_python_is_found():
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        assert len(BLOCK.findall(text)) == text.count("```python"), path.name


def test_links_between_documents_lead_somewhere():
    for path in FILES:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name}: {target}"


def test_the_natural_gradient_step_has_the_same_lines_in_the_code_and_in_the_mathematics():
    code = (ROOT / "src/chronotope/inference/natural_gradient.py").read_text(encoding="utf-8")
    maths = (ROOT / "docs/maths.md").read_text(encoding="utf-8")
    lines = re.findall(r"^    (?:b\* =|c  =|g\* =|g ←).*", maths, re.MULTILINE)
    assert len(lines) == 4
    assert all(line in code for line in lines)
