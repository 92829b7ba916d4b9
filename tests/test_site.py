"""The documentation site builds without a warning, holds every page and every public name, and asks no other host."""

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import chronotope as ct

pytest.importorskip("mkdocs", reason="the site is built by mkdocs, of the docs extra")
pytest.importorskip("material", reason="the site's theme is mkdocs-material, of the docs extra")
pytest.importorskip("mkdocstrings", reason="the API page is made by mkdocstrings, of the docs extra")

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(path.name for path in (ROOT / "docs").glob("*.md"))
REQUESTS = (
    r"<(?:script|img|iframe|source|video|audio|embed)\b[^>]*\bsrc=[\"']?(?:https?:)?//",
    r"<link\b(?![^>]*rel=[\"']?canonical)[^>]*\bhref=[\"']?(?:https?:)?//",
    r"url\(\s*[\"']?(?:https?:)?//",
    r"@import\s+[\"'](?:https?:)?//",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    out = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(out)]
    run = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    )
    assert run.returncode == 0, run.stderr
    return out


def test_every_page_is_built_and_in_the_navigation(site):
    sidebar = (site / "index.html").read_text(encoding="utf-8").split('class="md-content"')[0]
    linked = {Path(href).stem for href in re.findall(r'href="([^"#:]+\.html)"', sidebar)}
    for page in PAGES:
        assert (site / page).with_suffix(".html").exists(), page
        assert Path(page).stem in linked, f"{page} is not in the nav of mkdocs.yml; add it there"


def test_nothing_is_asked_of_other_hosts(site):
    files = [path for path in site.rglob("*") if path.suffix in (".html", ".css", ".svg")]
    assert len(files) > len(PAGES)
    for path in files:
        text = path.read_text(encoding="utf-8")
        for pattern in REQUESTS:
            found = re.search(pattern, text)
            assert found is None, f"{path.name}: {text[found.start() : found.end() + 60]}"


@pytest.mark.parametrize("module", ["", ".analysis", ".cluster", ".readers", ".datasets", ".plots", ".evaluate"])
def test_public_names_are_on_the_page_of_the_api(site, module):
    page = (site / "api.html").read_text(encoding="utf-8")
    names = importlib.import_module(f"chronotope{module}").__all__
    shown = {name.rsplit(".", 1)[-1] for name in re.findall(r'id="(chronotope[.\w]*)"', page)}
    packages = {"analysis", "cluster", "datasets", "evaluate", "kernels", "plots", "readers"}
    hidden = {"__version__", *packages} if not module else set()
    assert set(names) - hidden <= shown


def test_docstrings_are_shown_as_they_are_written(site):
    page = (site / "api.html").read_text(encoding="utf-8")
    assert "share_kp = Σ_{d in p} n_dk / Σ_{d in p} n_d          n_dk : expected tokens" in page
    assert "; the prior on change, or its text form; unset parameters follow from the corpus<br>" in page
    assert "&lt;br&gt;" not in page
    assert ct.analysis.topic_shares.__doc__.splitlines()[0].rstrip() in page
