"""A real browser, driven without a screen; nothing here fetches one."""

from __future__ import annotations

import json
import shutil
import time
from contextlib import contextmanager
from pathlib import Path

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)


def programs() -> tuple[str | None, str | None]:
    """Chromium and its driver, where they are installed."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    return chromium, shutil.which("chromedriver")


@contextmanager
def browser(folder: Path, width: int = 1280, height: int = 900, flags: tuple[str, ...] = ()):
    """A browser with an empty profile that keeps its console, its requests and its downloads."""
    from selenium import webdriver

    chromium, driver = programs()
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*FLAGS, *flags, f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    options.add_experimental_option("prefs", {"download.default_directory": str(folder / "downloads")})
    run = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        size(run, width, height)
        yield run
    finally:
        run.quit()


def size(run, width: int, height: int) -> None:
    """A page of this size, as on a screen or, below 500 pixels, on a phone."""
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    run.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def drain(run):
    """The console's messages and the addresses asked for, since the last look."""
    events = (json.loads(entry["message"])["message"] for entry in run.get_log("performance"))
    sent = [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
    return run.get_log("browser"), [url for url in sent if not url.startswith(("data:", "blob:"))]


def find(run, selector):
    return run.find_elements("css selector", selector)


def one(run, selector):
    return run.find_element("css selector", selector)


def texts(run, selector):
    return [element.text for element in find(run, selector)]


def until(holds):
    """Wait for what takes a moment, such as a file that is written by another process."""
    for _ in range(1200):
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen")


def settle(run):
    """Wait for the next frame and what it draws: charts are drawn when their size is known, on a slow machine later."""
    run.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => setTimeout(done));")


def focused(run):
    return run.switch_to.active_element


@contextmanager
def visits(run, address: str, first: str = "overview", tame: bool = True):
    """Opens a page of the report at an address; at the end the console is clean and nothing was asked of the network.

    first : the page that is opened if none is named
    tame : whether it is also seen that no text of the corpus became markup or was run
    """
    drain(run)

    def go(place=first, width=1280, height=900):
        size(run, width, height)
        run.get("about:blank")
        run.get(f"{address}#{place}")
        settle(run)
        return run

    yield go
    if tame:
        assert run.execute_script("return window.hacked") is None
        assert not find(run, "main img, main script, main b")
    console, requests = drain(run)
    assert console == []
    assert {url.split("#")[0] for url in requests} <= {address, "about:blank"}
