"""Builds the Go program into the wheel, and the program's source into the sdist.

The version is the program's own, so that there is one. The source stands two folders
up in the repository, and in ``go/`` in an sdist.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

FOLDERS = ("agents", "cmd", "env", "policies", "train")
"""The folders of the program's source."""


def source(root: str) -> Path:
    """Returns the folder of the program's source."""
    for folder in (Path(root) / "go", Path(root).parent.parent):
        if (folder / "go.mod").is_file():
            return folder
    raise RuntimeError(f"the program's source, with its go.mod, is neither in {root}/go nor two folders above {root}")


class Version(MetadataHookInterface):
    """Reads the version from the program's source."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        folder = source(self.root) / "cmd" / "pigpen"
        for file in sorted(folder.rglob("*.go")):
            found = re.search(r'^const version = "([^"]+)"', file.read_text(), re.MULTILINE)
            if found:
                metadata["version"] = found[1]
                return
        raise RuntimeError(f"no file in {folder} has a line like: const version = \"0.2.0\"")


class Program(BuildHookInterface):
    """Adds the program to a wheel and its source to an sdist."""

    PLUGIN_NAME = "custom"
    _folder: str | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        folder = source(self.root)
        if self.target_name == "sdist":
            build_data["force_include"].update(_sources(folder))
        elif version != "editable":
            self._folder = tempfile.mkdtemp(prefix="pigpen-")
            name = "pigpen.exe" if os.name == "nt" else "pigpen"
            program = Path(self._folder) / name
            _compile(folder, program)
            build_data["force_include"][str(program)] = f"pigpen/bin/{name}"
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{_platform()}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder)


def _sources(folder: Path) -> dict[str, str]:
    files = [folder / "go.mod", folder / "go.sum"]
    for name in FOLDERS:
        for file in (folder / name).rglob("*"):
            inside = file.relative_to(folder)
            left_out = "testdata" in inside.parts or inside.parts[:2] == ("train", "external")
            if file.is_file() and not left_out and not file.name.endswith("_test.go"):
                files.append(file)
    return {str(file): f"go/{file.relative_to(folder).as_posix()}" for file in files}


def _compile(folder: Path, program: Path) -> None:
    go = shutil.which("go")
    if go is None:
        raise RuntimeError(
            "building pigpen needs Go 1.26 or later, and there is no go in PATH: install it from https://go.dev/dl, "
            "or install a wheel that was built for this system, which needs no Go"
        )
    command = [go, "build", "-trimpath", "-ldflags=-s -w", "-o", str(program), "./cmd/pigpen"]
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, "CGO_ENABLED": "0"}, capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(f"'go build ./cmd/pigpen' in {folder} failed:\n{done.stderr.strip()}")


def _platform() -> str:
    """Returns the wheel's platform: a program without C runs on every Linux, glibc or musl."""
    machine = platform.machine().lower()
    if sys.platform == "linux":
        if sysconfig.get_platform().endswith(("i686", "i386")):
            machine = "i686"
        return f"manylinux_2_17_{machine}.manylinux2014_{machine}.musllinux_1_1_{machine}"
    if sys.platform == "darwin":
        return f"macosx_12_0_{machine}"
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")
