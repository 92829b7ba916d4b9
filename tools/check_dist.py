"""Build the sdist and the wheel, check both, and run the README's example on the installed wheel: `make dist`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
import zipfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
EXAMPLE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
IN_SDIST = ("LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff", "pyproject.toml")
SDIST_FOLDERS = ("src/chronotope", "tests", "docs")


def main() -> None:
    """Run all steps; the first that fails ends the program with a message."""
    start = time.perf_counter()
    sdist, wheel = build()
    check_contents(sdist, wheel)
    run("-m", "twine", "check", "--strict", str(sdist), str(wheel))
    with tempfile.TemporaryDirectory(prefix="chronotope-dist-") as folder:
        try_wheel(wheel, Path(folder))
    print(f"{sdist.name} and {wheel.name} are ready in {DIST.name}/ ({time.perf_counter() - start:.0f} s)")


def build() -> tuple[Path, Path]:
    """Build both files from nothing. The wheel is built from the sdist, so the sdist is complete if this succeeds."""
    shutil.rmtree(DIST, ignore_errors=True)
    run("-m", "build", "--outdir", str(DIST), str(ROOT), quiet=True)
    (sdist,), (wheel,) = DIST.glob("*.tar.gz"), DIST.glob("*.whl")
    return sdist, wheel


def check_contents(sdist: Path, wheel: Path) -> None:
    """Refuse an sdist that lacks a file of the project, and a wheel that is not exactly the package."""
    with tarfile.open(sdist) as archive:
        in_sdist = {name.partition("/")[2] for name in archive.getnames()}
    with zipfile.ZipFile(wheel) as archive:
        in_wheel = set(archive.namelist())
    require(sdist, in_sdist, [*IN_SDIST, *(name for folder in SDIST_FOLDERS for name in tracked(folder))])
    package = [name.removeprefix("src/") for name in tracked("src/chronotope")]
    require(wheel, in_wheel, [*package, "chronotope/py.typed", "chronotope/report/page/page.html"])
    other = sorted(name for name in in_wheel - set(package) if ".dist-info/" not in name)
    if other:
        sys.exit(f"{wheel.name} holds files that are not tracked: {', '.join(other)}; track or remove them.")
    print(f"{sdist.name}: {len(in_sdist)} files, {sdist.stat().st_size / 1e6:.1f} MB")
    print(f"{wheel.name}: {len(in_wheel)} files, {wheel.stat().st_size / 1e6:.1f} MB")


def tracked(folder: str) -> list[str]:
    """The files of a folder that git tracks."""
    listed = subprocess.run(["git", "ls-files", folder], cwd=ROOT, capture_output=True, text=True, check=True)
    return listed.stdout.splitlines()


def require(archive: Path, present: set[str], expected: Iterable[str]) -> None:
    """End with a message if a file is missing from an archive."""
    missing = sorted(set(expected) - present)
    if missing:
        sys.exit(f"{archive.name} lacks {', '.join(missing)}; see [tool.hatch.build.targets] in pyproject.toml.")


def try_wheel(wheel: Path, folder: Path) -> None:
    """Install the wheel with its dependencies in a new environment, and run the example of README.md in that folder."""
    environment, script = folder / "venv", folder / "example.py"
    venv.create(environment, with_pip=True)
    python = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    run("-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel), python=python, cwd=folder)
    run("-m", "chronotope", "--version", python=python, cwd=folder)
    script.write_text(example(), encoding="utf-8")
    print("The example of README.md, run on the installed wheel:")
    run(str(script), python=python, cwd=folder)


def example() -> str:
    """The first example of README.md."""
    found = EXAMPLE.search((ROOT / "README.md").read_text(encoding="utf-8"))
    if found is None:
        sys.exit("README.md has no python block; it should show an example first.")
    return found[1]


def run(*arguments: str, python: Path | str = sys.executable, cwd: Path = ROOT, quiet: bool = False) -> None:
    """Run Python without the source tree on its path; end with its output if it fails."""
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    clean = {name: value for name, value in os.environ.items() if name not in hidden}
    sys.stdout.flush()
    done = subprocess.run([str(python), *arguments], cwd=cwd, env=clean, text=True, capture_output=quiet)
    if done.returncode:
        output = (done.stdout + done.stderr) if quiet else ""
        sys.exit(f"{output}python {' '.join(arguments)} failed with exit code {done.returncode}.")


if __name__ == "__main__":
    main()
