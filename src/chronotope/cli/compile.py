"""chronotope compile"""

from __future__ import annotations

import time

from chronotope.cli import options
from chronotope.cli.app import sentences
from chronotope.cli.output import answer, note


def command(json: options.Json = False, quiet: options.Quiet = False) -> None:
    """Compile all loops for this machine now, so that the first fit does not have to.

    ```
    chronotope compile
    ```

    This takes about a minute once after an installation, as in the image of a container; after that, nothing is
    left to do. A fit compiles by itself what it needs, in about a quarter of a minute.
    """
    with sentences():
        facts = _compile(quiet)
    done = f"Compiled {facts['compiled']} loops in {facts['seconds']:.0f} s."
    cache = f"The cache is in {facts['cache']}." if facts["cache"] else "No folder for a cache can be written to."
    answer(f"{done if facts['compiled'] else 'Everything is compiled already.'} {cache}", facts, json)


def _compile(quiet: bool) -> dict[str, object]:
    from chronotope.evaluate import count_windows
    from chronotope.loops import cache_folder, on_compile
    from chronotope.model.ahead import compile_ahead

    start, counted = time.perf_counter(), list[str]()
    compiled = compile_ahead(lambda what: note(f"Loops of {what}", quiet))
    with on_compile(counted.append):
        count_windows([["war", "peace"]], ["war", "peace"], 2)  # for coherence
    seconds = time.perf_counter() - start
    return {"compiled": len(compiled) + bool(counted), "seconds": seconds, "cache": cache_folder()}
