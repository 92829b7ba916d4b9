"""Names of version 0.1 work for one version more, and say where they have gone."""

import importlib
import subprocess
import sys

import pytest

import chronotope as ct
from chronotope import _deprecated


@pytest.mark.parametrize("old", sorted(_deprecated.MODULES))
def test_every_old_module_leads_to_one_that_exists(old):
    importlib.import_module(f"chronotope.{old}")
    for home in (_deprecated.MODULES[old], *_deprecated.ALSO.get(old, ())):
        importlib.import_module(f"chronotope.{home}")


def test_no_old_module_takes_the_name_of_something_public():
    for old in _deprecated.MODULES:
        package, _, name = old.rpartition(".")
        if package not in _deprecated.MODULES:
            home = importlib.import_module(f"chronotope.{package}".rstrip("."))
            assert name not in getattr(home, "__all__", ())


@pytest.mark.parametrize(
    ("old", "name"), [(old, name) for old, names in _deprecated.NAMES.items() for name in names], ids=str
)
def test_every_old_name_is_found_and_named(old, name):
    new = _deprecated.NAMES[old][name]
    with pytest.warns(
        DeprecationWarning, match=rf"chronotope\.{old}\.{name} is now chronotope\.[\w.]+\.{new}; .* 0\.3"
    ):
        found = getattr(importlib.import_module(f"chronotope.{old}"), name)
    assert getattr(found, "__name__", new) == new


@pytest.mark.parametrize("name", sorted(_deprecated.TEXT))
def test_names_of_text_have_moved(name):
    with pytest.warns(DeprecationWarning, match=rf"chronotope\.text\.{name} is now"):
        getattr(importlib.import_module("chronotope.text"), name)


def test_answers_are_those_of_analysis():
    with pytest.warns(DeprecationWarning, match=r"answers\.events is now chronotope\.analysis\.find_events"):
        assert ct.answers.events is ct.analysis.find_events
    with pytest.warns(DeprecationWarning, match=r"vocabulary\.with_vocabulary is now chronotope\.corpus\.align"):
        from chronotope.vocabulary import with_vocabulary
    assert with_vocabulary is importlib.import_module("chronotope.corpus.align").with_vocabulary


@pytest.mark.parametrize(("old", "new"), [("coherence", "topic_coherence"), ("stability", "seed_stability")])
def test_functions_of_evaluate_work_under_their_old_names(old, new):
    with (
        pytest.warns(DeprecationWarning, match=rf"evaluate\.{old} is now chronotope\.evaluate\.{new}"),
        pytest.raises(TypeError),
    ):
        getattr(ct.evaluate, old)()


def test_what_never_was_is_still_an_error():
    with pytest.raises(ImportError):
        importlib.import_module("chronotope.questions_never_asked")
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = importlib.import_module("chronotope.answers").nothing
    with pytest.raises(AttributeError):
        _ = ct.nothing


def test_the_public_face_needs_no_further_imports_and_loads_nothing_heavy():
    heavy = ("numpy", "pandas", "scipy", "sklearn", "numba", "matplotlib", "rich", "tqdm")
    code = f"""
import sys
import chronotope as ct
assert not [name for name in {heavy} if name in sys.modules]
for name in ("plots", "evaluate", "kernels", "analysis", "readers", "datasets"):
    assert getattr(ct, name).__name__ == "chronotope." + name
assert "matplotlib" not in sys.modules
"""
    subprocess.run([sys.executable, "-W", "error::DeprecationWarning:chronotope", "-c", code], check=True)
