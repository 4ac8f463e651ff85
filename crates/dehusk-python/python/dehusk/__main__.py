"""The program: ``python -m dehusk`` is ``dehusk``."""

from __future__ import annotations

import signal
import sys

from ._native import run_program


def main() -> int:
    """Runs the program with the arguments of this process."""
    # The program has its own message for Ctrl-C, and ends quietly when its reader does.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run_program(["dehusk", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
