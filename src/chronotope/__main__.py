"""python -m chronotope, the same as the command chronotope."""

from chronotope.cli import main

main()
