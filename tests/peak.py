"""A child process for the test of peak memory: holds as many MiB as it is told, and prints its peak."""

from __future__ import annotations

import json
import sys

from shared.measuring import own_peak

if __name__ == "__main__":
    held = bytearray(int(sys.argv[1]) * 2**20)
    held[::4096] = b"x" * len(held[::4096])
    print("a line before")
    print(json.dumps({"peak": own_peak()}) if len(sys.argv) < 3 else "no number")
