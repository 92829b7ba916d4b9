"""The command line: answers, and errors as sentences."""

import errno
import json
import os
import subprocess
import sys

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import chronotope as ct
from chronotope.cli import app
from chronotope.cli.app import sentences
from chronotope.cli.output import shown
from chronotope.model.memory import Need, _advice

RUN = [sys.executable, "-c", "from chronotope.cli import main; main()"]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "m.ct"
    counts = np.random.default_rng(0).poisson(2.0, size=(12, 5))
    corpus = ct.Corpus(counts, np.arange(1900, 1912), calendar=True)
    ct.DynamicTopicModel(2, "ou(6, 50)", max_epochs=2, verbose=False).fit(corpus).save(path)
    return path


def invoke(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_version():
    assert invoke("--version").stdout == f"chronotope {ct.__version__}\n"


def test_info_says_what_a_model_is(saved):
    result = invoke("info", saved)
    assert result.exit_code == 0
    for part in (
        "Ornstein-Uhlenbeck",
        "length scale 50 years",
        "ou(6, 50)",
        "1900-01-01 to 1911-01-01",
        ct.__version__,
    ):
        assert part in result.stdout


def test_info_in_json(saved):
    facts = json.loads(invoke("info", saved, "--json").stdout)
    assert (facts["topics"], facts["converged"]) == (2, False)
    assert facts["resolution"] == 0.0
    assert facts["version"] == ct.__version__


def test_info_lists_kernels_that_can_be_asked_for():
    facts = json.loads(invoke("info", "--kernels", "--json").stdout)
    assert '"seasonal"' in facts
    assert "by(kernel, column)" in facts
    for text in facts.keys() - {"by(kernel, column)"}:
        assert ct.parse_kernel(text.strip('"').partition("(")[0])
    assert invoke("info").exit_code == 2


def test_every_command_explains_itself_and_has_json_and_quiet():
    commands = [command.name for command in app.registered_commands]
    wanted = "fit topics contrast evaluate compare plot report events forecast infer date info compile demo"
    assert sorted(commands) == sorted(wanted.split())
    for command in commands:
        helped = invoke(command, "--help")
        assert helped.exit_code == 0
        assert "--json" in helped.stdout
        assert "--quiet" in helped.stdout


def test_wrong_usage_is_exit_code_2(saved):
    assert invoke("info", saved, "--colour").exit_code == 2
    assert invoke("fiddle").exit_code == 2


def test_what_steers_a_terminal_is_not_shown():
    assert shown("a\x1b[31mb\x07\nc\td") == "a\ufffd[31mb\ufffd\nc\td"


def test_sentences_name_options_as_they_are_typed(capsys):
    with pytest.raises(typer.Exit), sentences():
        raise ValueError("say which with time=. Or day_first=True or day_first=False; n_inducing=257.")
    assert (
        capsys.readouterr().err == "chronotope: say which with --time. Or --day-first or --month-first; --nodes 257.\n"
    )


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.ENAMETOOLONG, "File name too long", "aaa"), "aaa: file name too long."),
        (
            MemoryError(_advice(Need(2.0, 1.0))),
            "topics (--topics), fewer words (--max-vocabulary), fewer nodes",
        ),
        (MemoryError(_advice(Need(1.0, 2.0))), "A smaller --batch-size needs less, and a corpus on disk (--on-disk) "),
        (FileNotFoundError("no file of times; put it in a.txt, or pass them as times=."), "put it in a.txt.\n"),
    ],
)
def test_sentences_are_about_options_and_files(capsys, error, said):
    with pytest.raises(typer.Exit), sentences():
        raise error
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ValueError("x"), 2),
        (FileNotFoundError("x"), 2),
        (OSError("x"), 1),
        (MemoryError(), 1),
        (KeyboardInterrupt(), 130),
    ],
)
def test_exit_codes(error, code, capsys):
    with pytest.raises(typer.Exit) as ended, sentences():
        raise error
    assert ended.value.exit_code == code
    assert capsys.readouterr().err.startswith("chronotope: ")


def test_a_missing_file_is_a_sentence():
    result = invoke("info", "nowhere.ct")
    assert result.exit_code == 2
    assert "there is no file 'nowhere.ct'" in result.stderr


def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("in the way")
    result = invoke("demo", "--quick", "--out", tmp_path / "file")
    assert result.exit_code == 1
    assert "cannot write in the folder" in result.stderr


def test_help_loads_nothing_heavy():
    heavy = ("numba", "scipy", "sklearn", "matplotlib")
    code = f"import sys, chronotope.cli; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.slow
def test_the_real_command_helps_and_refuses_broken_files(tmp_path):
    helped = subprocess.run([*RUN, "--help"], capture_output=True, text=True, check=False)
    assert helped.returncode == 0
    assert "demo" in helped.stdout
    (tmp_path / "broken.ct").write_bytes(b"\x00" * 64)
    refused = subprocess.run([*RUN, "info", tmp_path / "broken.ct"], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "Traceback" not in refused.stderr
    assert "cannot be read as a model" in refused.stderr


@pytest.mark.parametrize(("stream", "why"), [("/dev/full", "No space left on device"), (None, "has ended")])
@pytest.mark.parametrize("command", [["info", "--kernels"], ["info", "--kernels", "--json"], ["--help"]])
def test_what_cannot_be_printed_is_a_sentence(command, stream, why):
    if stream is None:
        reader, out = os.pipe()
        os.close(reader)
    else:
        out = os.open(stream, os.O_WRONLY) if os.path.exists(stream) else pytest.skip("there is no full device here")
    ended = subprocess.run([*RUN, *command], stdout=out, stderr=subprocess.PIPE, text=True, check=False)
    os.close(out)
    assert ended.returncode == 1
    assert ended.stderr.count("\n") <= 1
    assert why in ended.stderr or (command, stream) == (["--help"], None)  # there, click ends silently
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_letters_that_an_encoding_does_not_have_are_replaced(tmp_path, encoding):
    counts, words = np.ones((4, 2), dtype=int), ["\u4e2d\u56fd", "\u0432\u043e\u0439\u043d\u0430"]
    corpus = ct.Corpus(counts, np.arange(1900, 1904), words, calendar=True)
    ct.DynamicTopicModel(1, "ou(6, 50)", max_epochs=1, verbose=False).fit(corpus).save(tmp_path / "m.ct")
    for command in (["topics", "m.ct"], ["topics", "m.ct", "--json"], ["info", "\u4e2d.ct"]):
        ended = subprocess.run(
            [*RUN, *command],
            cwd=tmp_path,
            env=os.environ | {"PYTHONIOENCODING": encoding},
            capture_output=True,
            check=False,
        )
        assert ended.returncode == (2 if command[0] == "info" else 0)
        assert b"Traceback" not in ended.stderr
        (ended.stdout + ended.stderr).decode("utf-8" if encoding == "ascii" else encoding)
