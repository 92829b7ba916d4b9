"""A real browser, driven without a screen; nothing here fetches one."""

from __future__ import annotations

import shutil
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
