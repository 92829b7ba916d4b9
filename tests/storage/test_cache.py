"""What is kept beside a model: sealed, bounded, private, and never in the way."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from chronotope.storage import cache
from chronotope.storage.cache import KEPT, Slot, cache_path, forget_kept, kept_beside
from chronotope.storage.leftovers import own_folder

ARRAYS = {"numbers": np.arange(50) / 7, "bytes": np.arange(9, dtype=np.uint8)}


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.ct"
    path.write_bytes(b"a model")
    return path


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.csv"
    path.write_text("date,text")
    return path


def slot(model, texts, source=("texts.csv",), others=("0.1",)):
    return Slot(model, {"source": list(source)}, source[0], {"others": list(others)}, {"texts": texts})


def test_a_part_comes_back_bit_by_bit(model, texts):
    assert slot(model, texts).write("shares", {"a": [1, "ü"]}, ARRAYS, {"level": 0.9})
    content, arrays = slot(model, texts).read("shares", {"level": 0.9})
    assert content == {"a": [1, "ü"]}
    assert arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        assert arrays[name].tobytes() == array.tobytes()


def test_a_part_is_not_used_if_anything_that_decides_it_differs(model, texts):
    slot(model, texts).write("shares", {}, ARRAYS, {"level": 0.9})
    assert slot(model, texts).read("shares", {"level": 0.8}) is None
    assert slot(model, texts).read("events", {"level": 0.9}) is None
    assert slot(model, texts, source=("other.csv",)).read("shares", {"level": 0.9}) is None
    assert slot(model, texts, others=("0.2",)).read("shares", {"level": 0.9}) is None
    model.write_bytes(b"A MODEL")
    assert slot(model, texts).read("shares", {"level": 0.9}) is None
    model.write_bytes(b"a model")
    assert slot(model, texts).read("shares", {"level": 0.9}) is not None
    texts.write_text("DATE,TEXT")
    assert slot(model, texts).read("shares", {"level": 0.9}) is None


def test_parts_of_another_content_are_removed_when_one_is_written(model, texts):
    before = slot(model, texts)
    before.write("texts", {}, ARRAYS)
    (before.folder / "broken.part").write_bytes(b"{}")
    texts.write_text("other texts")
    slot(model, texts).write("shares", {}, ARRAYS)
    assert {path.name for path in before.folder.iterdir()} == {"shares.part", "index.json"}


def test_nothing_is_kept_of_a_file_that_changed_while_it_was_read(model, texts):
    for path in (texts, model):
        opened = slot(model, texts)
        path.write_text("changed meanwhile")
        assert not opened.write("corpus", {}, ARRAYS)
    assert kept_beside(model) is None


@pytest.mark.parametrize("length", [0, 5, 40, -1])
def test_a_truncated_part_is_an_error_with_a_sentence(model, texts, length):
    slot(model, texts).write("shares", {}, ARRAYS)
    path = slot(model, texts).folder / "shares.part"
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(ValueError, match=r"shares\.part"):
        slot(model, texts).read("shares")


def test_a_part_with_one_wrong_bit_is_an_error_with_a_sentence(model, texts):
    slot(model, texts).write("shares", {}, ARRAYS)
    path = slot(model, texts).folder / "shares.part"
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match="content has changed"):
        slot(model, texts).read("shares")


def test_a_broken_index_costs_only_another_digest(model, texts):
    opened = slot(model, texts)
    opened.write("shares", {}, ARRAYS)
    for content in ("", "[]", '{"fingerprints": {"states": 1}}', "null"):
        (opened.folder / "index.json").write_text(content)
        assert slot(model, texts).read("shares") is not None


def test_only_the_latest_corpora_are_kept(model, texts):
    for i in range(KEPT + 2):
        opened = slot(model, texts, source=(f"{i}.csv",))
        opened.write("shares", {}, ARRAYS)
        os.utime(opened.folder / "index.json", (i, i))
        slot(model, texts, source=("0.csv",)).read("shares")  # used all the time
    kept = kept_beside(model)
    assert kept.path == model.with_name("model.ct.cache")
    assert kept.names == ["0.csv", "4.csv", "3.csv"]
    assert kept.bytes == sum(path.stat().st_size for path in kept.path.rglob("*") if path.is_file())


@pytest.mark.skipif(os.name == "nt", reason="permissions of Unix")
@pytest.mark.parametrize(("mode", "folder"), [(0o600, 0o700), (0o640, 0o750), (0o644, 0o755)])
def test_who_may_not_read_the_model_may_not_read_what_is_kept(model, texts, mode, folder):
    model.chmod(mode)
    opened = slot(model, texts)
    opened.write("texts", {}, ARRAYS)
    for path in (opened.folder, opened.folder.parent):
        assert stat.S_IMODE(path.stat().st_mode) == folder
    for path in opened.folder.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners of Unix")
def test_a_folder_of_another_user_is_refused(model, texts, monkeypatch):
    slot(model, texts).write("shares", {}, ARRAYS)
    monkeypatch.setattr(cache.os, "getuid", lambda: 12345)
    assert slot(model, texts).read("shares") is not None  # it belongs to the owner of the model
    monkeypatch.setattr(cache.Path, "lstat", lambda path: os.stat_result([0] * 4 + [54321] + [0] * 5))
    with pytest.raises(PermissionError, match="another user"):
        slot(model, texts).read("shares")
    with pytest.raises(PermissionError, match="another user"):
        slot(model, texts).write("shares", {}, ARRAYS)


def test_several_writers_and_readers_do_not_disturb_each_other(model, texts):
    def use(i):
        opened = slot(model, texts)
        opened.write("shares", {"same": 1}, ARRAYS)
        content, arrays = opened.read("shares")
        return content == {"same": 1} and np.array_equal(arrays["numbers"], ARRAYS["numbers"])

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(use, range(12)))
    assert {path.name for path in slot(model, texts).folder.iterdir()} == {"shares.part", "index.json"}


def test_what_killed_processes_left_is_removed_and_what_is_being_written_is_not(model, texts):
    opened = slot(model, texts)
    opened.write("shares", {}, ARRAYS)
    old = opened.folder / ".shares.part-00000000"
    old.mkdir()
    with own_folder(opened.folder / "shares.part") as new:
        opened.write("shares", {}, ARRAYS)
        assert not old.exists()
        assert new.exists()


def test_forgetting_leaves_files_of_others_alone(model, texts):
    slot(model, texts).write("shares", {}, ARRAYS)
    mine = cache_path(model) / "mine.txt"
    mine.write_text("kept")
    forget_kept(model)
    assert list(cache_path(model).iterdir()) == [mine]
    mine.unlink()
    slot(model, texts).write("shares", {}, ARRAYS)
    forget_kept(model)
    assert not cache_path(model).exists()
    forget_kept(model)
