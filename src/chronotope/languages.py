"""Languages by code or name: "de", "de-AT" and "German" are one."""

from __future__ import annotations

import difflib

_NAMES = """
af Afrikaans, ar Arabic, bg Bulgarian, bn Bengali, br Breton, ca Catalan, cs Czech, cy Welsh, da Danish, de German,
el Greek, en English, eo Esperanto, es Spanish, et Estonian, eu Basque, fa Persian, fi Finnish, fr French, ga Irish,
gd Gaelic, gl Galician, gu Gujarati, ha Hausa, he Hebrew, hi Hindi, hr Croatian, hu Hungarian, hy Armenian,
id Indonesian, is Icelandic, it Italian, ja Japanese, ka Georgian, ko Korean, ku Kurdish, la Latin, lb Luxembourgish,
lt Lithuanian, lv Latvian, mk Macedonian, mr Marathi, ms Malay, nl Dutch, no Norwegian, pl Polish, pt Portuguese,
ro Romanian, ru Russian, sk Slovak, sl Slovenian, so Somali, sq Albanian, st Sotho, sv Swedish, sw Swahili, th Thai,
tl Tagalog, tr Turkish, uk Ukrainian, ur Urdu, vi Vietnamese, yo Yoruba, zh Chinese, zu Zulu
"""
LANGUAGES = dict(entry.split() for entry in _NAMES.split(","))
_CODES = {name.lower(): code for code, name in LANGUAGES.items()}
_CODES |= {"farsi": "fa", "filipino": "tl", "flemish": "nl", "nb": "no", "nn": "no", "iw": "he", "mandarin": "zh"}


def language_code(given: str, option: str, known: frozenset[str]) -> str:
    """The two-letter code of a language given by code or by English name, among those that are known.

    option : what was given it, for the error
    """
    plain = given.strip().lower()
    code = _CODES.get(plain) or plain.replace("_", "-").split("-")[0]
    code = _CODES.get(code, code)
    if code in known:
        return code
    names = [LANGUAGES[c] for c in sorted(known) if c in LANGUAGES]
    near = difflib.get_close_matches(given.strip().capitalize(), names, n=1)
    hint = f"did you mean {near[0]!r}? Known" if near else "known"
    raise ValueError(
        f"{option} is {given!r}, which is no language it knows; {hint} are {', '.join(names)}, and codes such as 'de'."
    )
