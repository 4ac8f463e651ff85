"""The program: ``python -m dehusk`` is ``dehusk``, which comes with the package."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig


def main() -> int:
    """Runs the program with the arguments of this process."""
    name = "dehusk.exe" if os.name == "nt" else "dehusk"
    schemes = (None, sysconfig.get_preferred_scheme("user"))
    folders = [sysconfig.get_path("scripts", scheme) if scheme else sysconfig.get_path("scripts") for scheme in schemes]
    programs = [os.path.join(folder, name) for folder in folders]
    program = next((program for program in programs if os.access(program, os.X_OK)), None)
    if program is None:
        print("dehusk: this package was built without the program: install it with `cargo install dehusk-cli`", file=sys.stderr)
        return 2
    if os.name == "nt":
        return subprocess.run([program, *sys.argv[1:]], check=False).returncode
    # The program has its own message for Ctrl-C, and ends quietly when its reader does.
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
