"""The suite's own environment, as data: what goes into it, in which order. Tried with Python 3.11 on Debian 12."""

from __future__ import annotations

REPOSITORY = "https://github.com/google-research/android_world"
COMMIT = "d9c569f764b3a5629321858de03ff653d0f24056"

BUILD: tuple[str, ...] = ("setuptools<81", "wheel", "grpcio-tools==1.71.0")
"""Upstream's setup.py imports pkg_resources, which setuptools 81 dropped, and makes its protocol buffers with grpcio-tools."""

REQUIREMENTS: tuple[str, ...] = (
    "absl-py==2.1.0",
    "android_env==1.2.3",  # 1.3.0 brings code generated for another protobuf
    "dm_env==1.6",
    "fuzzywuzzy==0.18.0",
    "immutabledict==2.0.0",
    "imageio-ffmpeg",  # an ffmpeg for the four tasks that write MP3 files
    "numpy==1.26.3",
    "opencv-python-headless<5",
    "pandas==2.1.4",
    "pillow",
    "protobuf==5.29.5",
    "pydantic>=2.10",
    "pydub",
    "requests",
    "termcolor",
)
"""Upstream's requirements as far as tasks and verifiers need them; its agents need more."""

UPSTREAM: tuple[str, ...] = ("--no-build-isolation", f"android_world @ git+{REPOSITORY}@{COMMIT}")
"""Arguments of ``pip install --no-deps``, after the others: without isolation the build uses what BUILD brought."""

IMPORTS: tuple[str, ...] = ("android_world.registry", "android_world.env.env_launcher")
