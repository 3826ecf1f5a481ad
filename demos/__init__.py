"""Every demo of the gallery: each folder here that has a DEMO."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from pathlib import Path

from shared.demo import Demo


@cache
def all_demos() -> tuple[Demo, ...]:
    """The demos, in the order of their tabs. A folder with `DEMO` in its `__init__.py` is one; nothing else is needed.

    Folders named in the environment variable SIDE_BY_SIDE_DEMOS (separated as PATH is) are searched too.
    """
    import os

    extra = [p for p in os.environ.get("SIDE_BY_SIDE_DEMOS", "").split(os.pathsep) if p]
    __path__.extend(p for p in extra if p not in __path__ and Path(p).is_dir())
    found = [importlib.import_module(f"demos.{m.name}") for m in pkgutil.iter_modules(__path__) if m.ispkg]
    demos = [module.DEMO for module in found if hasattr(module, "DEMO")]
    return tuple(sorted(demos, key=lambda demo: (demo.order, demo.slug)))
