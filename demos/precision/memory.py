"""What a child process runs to find a side's peak memory: `python -m demos.precision.memory`."""

from __future__ import annotations

import json
import sys

from demos.precision.settings import PrecisionSettings
from shared.measuring import own_peak


def main(arguments: list[str]) -> int:
    """Builds one side of a task's first network, runs it three times, and prints this process's peak in MiB."""
    from demos.precision.compute import make_task
    from demos.precision.engines import build
    from demos.precision.tasks import calibrating_for

    task_name, side, batch = arguments
    settings = PrecisionSettings.check({"task": task_name, "sides": [side], "batch": batch})
    task = make_task(settings)
    network = task.networks[0]
    # The parent has quantized already: the file is in the cache, and calibration is not part of running.
    how = settings.calibration if side == "ort_int8" else "none"
    engine = build(side, network, calibrating_for(task, network, how, settings.calibration_size, True, settings.seed))
    for _ in range(3):
        engine.run(network.example(settings.batch, settings.seed))
    print(json.dumps({"peak": own_peak()}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
