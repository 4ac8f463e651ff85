"""Times HTML parsers that are used from Python: parse only, no text is taken out.

The only argument is the folder of the virtual environment, which is made and filled when it is missing. Standard input
holds the number of pages, then each page with its length (8 bytes, little endian) before it, then one byte "g" for each
round. A round answers with one line per parser (name, version, seconds) and the line "done". `eval scale --only parse-speed` calls
this script, so that all parsers take turns on the same pages.
"""

import importlib.metadata
import os
import struct
import subprocess
import sys
import time

PACKAGES = ["selectolax", "resiliparse"]


def ensure_packages(folder):
    """Runs this script again with the Python of a folder that has the packages."""
    if os.environ.get("DEHUSK_PEERS"):
        return
    python = os.path.join(folder, "bin", "python")
    if not os.path.exists(python):
        subprocess.run([sys.executable, "-m", "venv", folder], check=True, stdout=sys.stderr)
    missing = subprocess.run([python, "-c", "import selectolax, resiliparse"], stderr=subprocess.DEVNULL).returncode
    if missing:
        command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES]
        subprocess.run(command, check=True, stdout=sys.stderr)
    os.execve(python, [python, *sys.argv], {**os.environ, "DEHUSK_PEERS": "1"})


def read_exactly(length):
    data = sys.stdin.buffer.read(length)
    if len(data) != length:
        raise EOFError
    return data


def parsers():
    from resiliparse.parse.html import HTMLTree
    from selectolax.lexbor import LexborHTMLParser

    def version(package):
        return importlib.metadata.version(package)

    yield "selectolax (lexbor)", version("selectolax"), LexborHTMLParser
    yield "resiliparse (lexbor)", version("resiliparse"), lambda page: HTMLTree.parse_from_bytes(page, "utf-8")


def main():
    ensure_packages(sys.argv[1])
    count = struct.unpack("<Q", read_exactly(8))[0]
    pages = [read_exactly(struct.unpack("<Q", read_exactly(8))[0]) for _ in range(count)]
    available = list(parsers())
    print("ready", flush=True)
    while read_exactly(1) == b"g":
        for name, version, parse in available:
            start = time.process_time()
            for page in pages:
                parse(page)
            print(f"{name}\t{version}\t{time.process_time() - start}", flush=True)
        print("done", flush=True)


if __name__ == "__main__":
    try:
        main()
    except EOFError:
        pass
