"""With every demo's models used once, the process stays small enough for a free CPU machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MOST = 3 * 1024  # MiB
RUN = """
import resource
from demos import all_demos
for demo in all_demos():
    demo.compare(demo.Settings())
    print(demo.slug, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, flush=True)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Linux counts a process's memory in KiB")
@pytest.mark.timeout(1200)
def test_every_demo_once_stays_under_three_gigabytes() -> None:
    if os.environ.get("CI") != "true" and os.environ.get("HOSTILE") != "full":
        pytest.skip("every demo once takes long: CI=true or HOSTILE=full runs it")
    done = subprocess.run([sys.executable, "-c", RUN], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    print(done.stdout)
    assert int(done.stdout.split()[-1]) < MOST, done.stdout
