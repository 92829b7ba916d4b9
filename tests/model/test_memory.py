"""The memory a fit needs is known before it starts, within a factor, and what there is is read from the machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import chronotope as ct
from chronotope.model import training as module
from chronotope.model.memory import available_memory

ROOT = Path(__file__).resolve().parents[2]
GB = 10**9

# the peak of a large fit after a small one, by which code is compiled and memory of the program is taken
MEASURED = """
import json, sys
from pathlib import Path
import numpy as np, scipy.sparse as sp
import chronotope as ct
from chronotope.model import training as module

kernel, batch = sys.argv[1], int(sys.argv[2])
peak = lambda: int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) * 1024
needs, check = [], module.check_memory
module.check_memory = lambda need, *given: needs.append(need) or check(need, *given)

def fit(D, V, K, nodes, batch_size):
    rng = np.random.default_rng(0)
    words, starts = rng.integers(0, V, D * 20), np.arange(0, D * 20 + 1, 20)
    counts = sp.csr_array((np.ones(D * 20, int), words, starts), shape=(D, V))
    times = np.linspace(0.0, 10.0, D)
    ct.DynamicTopicModel(K, kernel, n_inducing=nodes, batch_size=batch_size, max_epochs=2, n_threads=1).fit(
        counts, times=times
    )

fit(40, 50, 2, 5, 20)
before = peak()
fit(200, 20_000, 5, 60, batch)
print(json.dumps([needs[1].topics + needs[1].documents, peak() - before]))
"""


@pytest.mark.parametrize(("kernel", "batch"), [("constant + ou", 100), ("ou", 200), ("se(6, 2)", 100)])
@pytest.mark.slow
def test_the_estimate_is_near_the_measured_peak(kernel: str, batch: int) -> None:
    if not Path("/proc/self/status").exists():
        pytest.skip("the peak of a process is read from /proc: getrusage counts that of the process that started it")
    command = [sys.executable, "-c", MEASURED, kernel, str(batch)]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=_environment(), check=True)
    estimate, measured = json.loads(ended.stdout)
    assert 0.6 * estimate < measured < 1.4 * estimate


def _environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])}


@pytest.fixture
def counts() -> sp.csr_array:
    return sp.csr_array(np.random.default_rng(0).poisson(0.5, (30, 20)))


def test_a_fit_that_cannot_fit_is_refused_with_advice(counts: sp.csr_array, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "available_memory", lambda: 10**8)
    model = ct.DynamicTopicModel(2, "ou")
    with pytest.raises(MemoryError, match=r"needs about 0.2 GB of memory; 0.1 GB are available. .*n_inducing"):
        model.fit(counts, times=np.arange(30.0))
    assert not hasattr(model, "topics_")


def test_where_documents_need_most_a_corpus_on_disk_is_advised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "available_memory", lambda: 10**8)
    many = sp.csr_array(np.ones((3_000, 2), int))
    with pytest.raises(MemoryError, match=r"smaller batch_size .*ct.open_corpus\(folder\)"):
        ct.DynamicTopicModel(2, "ou", n_inducing=2).fit(many, times=np.arange(3_000.0))


def test_more_groups_than_can_be_held_are_refused_with_advice(
    counts: sp.csr_array, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "available_memory", lambda: 10**8)
    corpus = ct.Corpus(counts, np.arange(30.0), metadata={"party": np.array(["a", "b", "c"])[np.arange(30) % 3]})
    with pytest.raises(
        MemoryError, match=r"Fewer groups \(join those of few documents\) or cells \(n_cells\), fewer t"
    ):
        ct.DynamicTopicModel(2, "constant + ou + by(ou, party)").fit(corpus)


def test_memory_grows_with_the_number_of_groups() -> None:
    counts = sp.csr_array(np.random.default_rng(0).poisson(0.5, (600, 300)))
    needs = []
    for S in (2, 20, 200):
        corpus = ct.Corpus(counts, np.arange(600.0) % 6, metadata={"party": np.arange(600) % S})
        needs.append(ct.DynamicTopicModel(50, "constant + ou + by(ou, party)").plan(corpus).memory.topics)
    assert 5 < needs[1] / needs[0] < 11
    assert 5 < needs[2] / needs[1] < 11


def test_a_basis_of_more_nodes_than_can_be_held_is_refused() -> None:
    counts = sp.csr_array(np.random.default_rng(0).poisson(0.5, (2_000, 20)))
    corpus = ct.Corpus(counts, np.arange(2_000.0) // 2, metadata={"party": np.arange(2_000) % 400})
    sentence = (
        r"the kernel by\(ou\(1, 30\), party\) needs the covariance of all 20,000 nodes, 50 each of 400 groups or "
        r"places, and at most 10,000 are held; pass fewer groups, a smaller n_cells or a smaller n_inducing, or add a "
        r"part that all of them share, as constant \+ ou\.$"
    )
    with pytest.raises(MemoryError, match=sentence):
        ct.DynamicTopicModel(2, "by(ou(1, 30), party)", n_inducing=50, shared=0.0).plan(corpus)


def test_nobody_is_refused_where_nobody_can_tell(counts: sp.csr_array, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "available_memory", lambda: None)
    ct.DynamicTopicModel(2, "ou", max_epochs=1).fit(counts, times=np.arange(30.0))


@pytest.mark.parametrize(("verbose", "shown"), [(True, True), (False, False), (None, False)])
def test_the_estimate_is_shown_where_progress_is(
    counts: sp.csr_array, capsys: pytest.CaptureFixture[str], verbose: bool | None, shown: bool
) -> None:
    ct.DynamicTopicModel(2, "ou", max_epochs=1, verbose=verbose).fit(counts, times=np.arange(30.0))
    assert ("this fit needs about 0.2 GB of memory; " in capsys.readouterr().err) == shown


def test_this_machine_has_memory() -> None:
    available = available_memory()
    assert available is None or 10**7 < available < 10**15


class Machine:
    """A folder that looks like /proc and /sys of a machine with 8 GB available."""

    def __init__(self, root: Path, cgroup: str) -> None:
        self.root = root
        self.write("proc/meminfo", f"MemTotal: 16000000 kB\nMemAvailable: {8 * GB // 1024} kB\n")
        self.write("proc/self/cgroup", cgroup)

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    @property
    def available(self) -> float:
        return round((available_memory(self.root) or 0) / GB, 2)


def test_without_limits_the_machine_decides(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "0::/\n")
    assert machine.available == 8.0
    machine.write("sys/fs/cgroup/memory.max", "max\n")
    machine.write("sys/fs/cgroup/memory.current", f"{GB}\n")
    assert machine.available == 8.0


def test_the_tightest_limit_of_nested_groups_counts_and_pages_of_files_are_free(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "0::/a/b\n")
    for group, limit, used in (("", 7, 1), ("a/", 3, 2), ("a/b/", 5, 1)):
        machine.write(f"sys/fs/cgroup/{group}memory.max", f"{limit * GB}\n")
        machine.write(f"sys/fs/cgroup/{group}memory.current", f"{used * GB}\n")
    assert machine.available == 1.0
    machine.write("sys/fs/cgroup/a/memory.stat", f"anon 5\ninactive_file {GB // 2}\n")
    assert machine.available == 1.5


def test_limits_of_the_older_kind_count(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "5:cpu,cpuacct:/x\n4:memory:/x\n")
    machine.write("sys/fs/cgroup/memory/x/memory.limit_in_bytes", f"{2 * GB}\n")
    machine.write("sys/fs/cgroup/memory/x/memory.usage_in_bytes", f"{GB}\n")
    machine.write("sys/fs/cgroup/memory/x/memory.stat", f"inactive_file 1\ntotal_inactive_file {GB // 4}\n")
    machine.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
    machine.write("sys/fs/cgroup/memory/memory.usage_in_bytes", f"{GB}\n")
    assert machine.available == 1.25


LIMITS = """Limit                     Soft Limit           Hard Limit           Units
Max cpu time              unlimited            unlimited            seconds
Max data size             {data:<20} unlimited            bytes
Max address space         {space:<20} unlimited            bytes
"""


@pytest.mark.parametrize(
    ("space", "data", "available"),
    [
        ("unlimited", "unlimited", 8.0),
        (3 * GB, "unlimited", 1.0),
        ("unlimited", 2 * GB, 1.5),
        (3 * GB, GB, 0.5),
        (GB, GB, 0.0),
    ],
)
def test_limits_of_the_process_itself_count(tmp_path: Path, space: object, data: object, available: float) -> None:
    machine = Machine(tmp_path, "0::/\n")
    machine.write("proc/self/limits", LIMITS.format(space=space, data=data))
    machine.write("proc/self/status", f"Name:\tpython\nVmSize:\t{2 * GB // 1024} kB\nVmData:\t{GB // 2048} kB\n")
    assert machine.available == available


def test_a_limit_set_by_ulimit_is_seen() -> None:
    resource = pytest.importorskip("resource")
    if not Path("/proc/self/limits").exists():
        pytest.skip("limits are read from /proc")
    limit = 40 * GB
    program = (
        "from chronotope.model.memory import _own_limits; from pathlib import Path; print(*_own_limits(Path('/')))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=_environment(),
        check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    assert 0 < int(ended.stdout.split()[-1]) < limit


def test_a_limit_that_is_passed_leaves_nothing(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "0::/\n")
    machine.write("sys/fs/cgroup/memory.max", f"{GB}\n")
    machine.write("sys/fs/cgroup/memory.current", f"{2 * GB}\n")
    assert machine.available == 0.0


def test_a_machine_without_such_files_is_asked_otherwise(tmp_path: Path) -> None:
    available = available_memory(tmp_path)
    assert available is None or available > 10**7
