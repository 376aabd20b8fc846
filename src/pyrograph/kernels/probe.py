"""CUDA on this machine, found without Numba: packages by their metadata, the driver by its own library.

Only the driver is spoken to, so this is quick, and works where anything above it is missing or broken.
"""

from __future__ import annotations

import ctypes
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

# Extra, CUDA version its kernels need of the driver, and the driver release that brings it.
EXTRAS = (("cuda13", (13, 0), 580), ("cuda12", (12, 0), 525))
# Parts of the toolkit that numba-cuda compiles with, and the packages that bring them for each extra.
COMPONENTS = {
    "NVVM": {"cuda12": "nvidia-cuda-nvcc-cu12", "cuda13": "nvidia-nvvm"},
    "NVRTC": {"cuda12": "nvidia-cuda-nvrtc-cu12", "cuda13": "nvidia-cuda-nvrtc"},
    "nvJitLink": {"cuda12": "nvidia-nvjitlink-cu12", "cuda13": "nvidia-nvjitlink"},
    "CUDA runtime": {"cuda12": "nvidia-cuda-runtime-cu12", "cuda13": "nvidia-cuda-runtime"},
}
INSTALL = "pip install 'pyrograph-scan[cuda13]' (driver 580 or newer) or 'pyrograph-scan[cuda12]' (driver 525 or newer)"
_DRIVER = {"win32": "nvcuda.dll"}.get(sys.platform, "libcuda.so.1")
_MANAGEMENT = {"win32": "nvml.dll"}.get(sys.platform, "libnvidia-ml.so.1")


@dataclass(frozen=True, slots=True)
class Device:
    """One GPU."""

    name: str
    capability: tuple[int, int]
    memory: int  # bytes


@dataclass(frozen=True, slots=True)
class Driver:
    """The driver's answers; ``problem`` is empty when it answers and shows a device."""

    release: str  # as in "580.65.06"; empty if unknown
    cuda: tuple[int, int] | None  # newest CUDA version it runs
    devices: tuple[Device, ...]
    problem: str


def installed_version(package: str) -> str | None:
    """The version of an installed distribution, None if it is not there."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def driver() -> Driver:
    """Ask the NVIDIA driver of this machine; starts no context."""
    try:
        library = ctypes.CDLL(_DRIVER)
    except OSError:
        return Driver("", None, (), f"no NVIDIA driver is installed ({_DRIVER} was not found)")
    release = _release()
    number = ctypes.c_int(0)
    library.cuDriverGetVersion(ctypes.byref(number))
    cuda = (number.value // 1000, number.value % 1000 // 10) if number.value else None
    code = library.cuInit(0)
    if code:
        reasons = {100: "it sees no device (is CUDA_VISIBLE_DEVICES set?)", 803: "its parts have different versions"}
        return Driver(release, cuda, (), f"the NVIDIA driver does not start: {reasons.get(code, f'error {code}')}")
    count = ctypes.c_int(0)
    library.cuDeviceGetCount(ctypes.byref(count))
    devices = tuple(_device(library, i) for i in range(count.value))
    return Driver(release, cuda, devices, "" if devices else "the NVIDIA driver sees no device")


def missing() -> list[str]:
    """Known obstacles to the ``cuda`` backend on this machine, each with its remedy."""
    found = []
    extra = installed_extra()
    if installed_version("numba-cuda") is None:
        found.append(f"the package numba-cuda is not installed; {INSTALL}")
    elif extra is None:
        found.append(f"the CUDA toolkit's parts are not installed; {INSTALL}")
    else:
        found += [
            f"{part} of the CUDA toolkit is not installed; pip install 'pyrograph-scan[{extra}]'"
            for part, packages in COMPONENTS.items()
            if installed_version(packages[extra]) is None
        ]
    there = driver()
    if there.problem:
        found.append(f"{there.problem}; install driver 525 or newer for cuda12, 580 or newer for cuda13")
    for name, needed, release in EXTRAS:
        if name == extra and there.cuda is not None and there.cuda < needed:
            runs = "{}.{}".format(*there.cuda)
            remedy = f"update the driver to {release} or newer"
            if name == "cuda13" and there.cuda >= (12, 0):
                remedy += ", or install 'pyrograph-scan[cuda12]' instead of [cuda13]"
            found.append(f"the driver runs CUDA {runs}, but {name} needs {needed[0]}.{needed[1]}; {remedy}")
    return found


def installed_extra() -> str | None:
    """``cuda13`` or ``cuda12``, whichever most of the toolkit's installed parts belong to; None if there are none."""
    counts = {
        name: sum(installed_version(packages[name]) is not None for packages in COMPONENTS.values())
        for name, _, _ in EXTRAS
    }
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] else None


def _device(library: ctypes.CDLL, number: int) -> Device:
    handle = ctypes.c_int(0)
    library.cuDeviceGet(ctypes.byref(handle), number)
    name = ctypes.create_string_buffer(256)
    library.cuDeviceGetName(name, 256, handle)
    size = ctypes.c_size_t(0)
    library.cuDeviceTotalMem_v2(ctypes.byref(size), handle)
    major, minor = ctypes.c_int(0), ctypes.c_int(0)
    library.cuDeviceGetAttribute(ctypes.byref(major), 75, handle)  # compute capability
    library.cuDeviceGetAttribute(ctypes.byref(minor), 76, handle)
    return Device(name.value.decode(errors="replace"), (major.value, minor.value), size.value)


def _release() -> str:
    """The driver's own number, which only the management library states."""
    try:
        library = ctypes.CDLL(_MANAGEMENT)
    except OSError:
        return ""
    text = ctypes.create_string_buffer(96)
    if library.nvmlInit_v2():
        return ""
    library.nvmlSystemGetDriverVersion(text, 96)
    library.nvmlShutdown()
    return text.value.decode(errors="replace")
