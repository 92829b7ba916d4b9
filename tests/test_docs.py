"""Every python block of the README and the guides runs; blocks of one file share their names, as a reader would."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FILES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_code_blocks_run(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = path.read_text(encoding="utf-8")
    names = {"__name__": "__main__"}
    for block in BLOCK.finditer(text):
        line = text[: block.start(1)].count("\n")
        exec(compile("\n" * line + block[1], str(path), "exec"), names)


def test_every_fence_marked_python_is_found():
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        assert len(BLOCK.findall(text)) == text.count("```python"), path.name


def test_links_between_documents_lead_somewhere():
    for path in FILES:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name}: {target}"
