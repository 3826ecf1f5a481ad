"""With every demo's models used once, the process stays small enough for a free CPU machine.

In CI each demo runs on its least settings, which load the same models; HOSTILE=full runs the defaults.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FULL = os.environ.get("HOSTILE") == "full"
MOST = 3 * 1024  # MiB
RUN = """
import json, resource, sys
from demos import all_demos
from shared.settings import bounds, look

def least(model):
    return {n: bounds(i)[0] for n, i in model.model_fields.items() if i.annotation is int and look(i)["costs"]}

for demo in all_demos():
    if demo.slug == "smoothing":
        continue
    found = demo.compare(demo.Settings.check({} if sys.argv[1] == "full" else least(demo.Settings)))
    json.dumps(found.to_dict(), allow_nan=False)
    assert found.sides and found.takeaway, demo.slug
    print(demo.slug, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, flush=True)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Linux counts a process's memory in KiB")
@pytest.mark.timeout(1200)
def test_every_demo_once_stays_under_three_gigabytes() -> None:
    command = [sys.executable, "-c", RUN, "full" if FULL else "least"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    print(done.stdout)
    peaks = dict(line.split() for line in done.stdout.splitlines())
    assert len(peaks) == len([path for path in (ROOT / "demos").iterdir() if (path / "__init__.py").is_file()])
    assert max(map(int, peaks.values())) < MOST, done.stdout
