"""The files around the package agree with it: changelog, citation, paper and the table of packages."""

import re
from pathlib import Path

import pytest

import chronotope as ct

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = sorted(path.parent.name for path in (ROOT / "src" / "chronotope").glob("*/__init__.py"))


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def citation():
    yaml = pytest.importorskip("yaml", reason="CITATION.cff is parsed by PyYAML, which the docs extra brings")
    return yaml.safe_load(read("CITATION.cff"))


def releases():
    """Version and date of every section of the changelog, newest first."""
    return re.findall(r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d{2}-\d{2})$", read("CHANGELOG.md"), re.MULTILINE)


def test_newest_version_of_the_changelog_is_that_of_the_package():
    assert releases()[0][0] == ct.__version__


def test_versions_of_the_changelog_fall():
    versions = [tuple(map(int, version.split("."))) for version, _ in releases()]
    assert versions == sorted(set(versions), reverse=True)


def test_citation_has_the_version_and_date_of_the_changelog(citation):
    assert (citation["version"], str(citation["date-released"])) == releases()[0]


def test_citation_has_what_its_format_requires(citation):
    assert citation["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= citation.keys()
    for work in citation["references"]:
        assert {"type", "title", "authors"} <= work.keys()


def test_every_work_cited_in_the_paper_is_in_its_bibliography_and_no_other():
    text = read("paper/paper.md").split("\n---\n", 1)[1]
    cited = set(re.findall(r"(?<!\w)@([a-z]+\d{4}[a-z]*)", text))
    listed = re.findall(r"^@\w+\{([^,\s]+),", read("paper/paper.bib"), re.MULTILINE)
    assert len(listed) == len(set(listed))
    assert cited == set(listed)


def test_figures_of_the_paper_exist():
    figures = re.findall(r"^!\[.*\]\(([^)]+)\)$", read("paper/paper.md"), re.MULTILINE)
    assert figures
    for figure in figures:
        assert (ROOT / "paper" / figure).is_file(), figure


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_is_named_in_the_guide_to_contributing(package):
    assert f"`{package}`" in read("CONTRIBUTING.md"), f"add {package} to the table of CONTRIBUTING.md"
