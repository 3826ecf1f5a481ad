"""A full disk while the command line saves: one sentence, no trace."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_a_full_disk_gets_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "card.png").write_bytes(b"an older card")
    (tmp_path / "card.png.part").symlink_to("/dev/full")
    done = subprocess.run(
        [sys.executable, "-m", "demos", "smoothing", "--samples", "1", "--out", str(tmp_path)],
        cwd=ROOT,
        env=os.environ | {"SIDE_BY_SIDE_DEMOS": str(ROOT / "tests" / "example_demos")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1 and "Traceback" not in done.stderr
    said = f"The files could not all be written to {tmp_path}: no space left on device."
    assert done.stderr.splitlines()[-1] == said
    assert "| PSNR" in done.stdout  # the numbers were shown all the same
    assert (tmp_path / "card.png").read_bytes() == b"an older card"
    assert [path.name for path in tmp_path.iterdir()] == ["card.png"]  # no half of the new one is left
