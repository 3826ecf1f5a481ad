"""A photo, from scikit-image or from a visitor, read as if it were hostile."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import get_args

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from demos.attention.settings import Example
from shared.demo import DemoError

EXAMPLES: tuple[str, ...] = get_args(Example)
MOST_BYTES = 32 * 2**20
MOST_PIXELS = 40_000_000
SHOWN = 448  # pixels of the square that is shown and explained
_FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF")


def read_photo(photo: str | None, example: str) -> tuple[Image.Image, str]:
    """The middle square of the photo at 448 pixels, and what it is called. `photo` is a file or an example's name;
    without one the example is taken. Raises DemoError with one sentence for a file that can't be used."""
    name = photo or example
    if name in EXAMPLES:
        from skimage import data

        return square(Image.fromarray(np.asarray(getattr(data, name)()))), name
    return square(open_picture(Path(name))), "your photo"


def open_picture(file: Path) -> Image.Image:
    """The picture in a file, turned as its EXIF says, on white where it is transparent, its first frame if it moves.

    Raises DemoError where it is missing, too large, damaged, or no picture.
    """
    try:
        size = file.stat().st_size if file.is_file() else None
    except (OSError, ValueError):
        size = None
    if size is None:
        raise DemoError(f"photo: there is no such file; it may be a picture or one of {', '.join(EXAMPLES)}.")
    if size > MOST_BYTES:
        raise DemoError(f"photo: the file has {size / 2**20:,.0f} MB; at most {MOST_BYTES // 2**20} MB are read.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(file, formats=_FORMATS) as found:
                _check_size(found)
                found.seek(0)
                found.load()
                return _flatten(ImageOps.exif_transpose(found))
    except DemoError:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise DemoError(f"photo: the picture is too large; at most {MOST_PIXELS // 10**6} megapixels.") from None
    except UnidentifiedImageError:
        raise DemoError("photo: the file is no picture; PNG, JPEG, WebP, GIF, BMP and TIFF are read.") from None
    except Exception:
        raise DemoError("photo: the picture is damaged or cut short; save it again.") from None


def _check_size(picture: Image.Image) -> None:
    width, height = picture.size
    if width * height > MOST_PIXELS:
        raise DemoError(
            f"photo: the picture has {width:,} by {height:,} pixels; at most {MOST_PIXELS // 10**6} million are read."
        )


def _flatten(picture: Image.Image) -> Image.Image:
    """RGB on white, whatever the mode; 16-bit grey is scaled, not cut."""
    if picture.mode.startswith("I"):
        picture = Image.fromarray((np.asarray(picture, dtype=np.float64) / 257).clip(0, 255).astype(np.uint8))
    if "A" in picture.getbands() or "transparency" in picture.info:
        picture = picture.convert("RGBA")
        return Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture).convert("RGB")
    return picture.convert("RGB")


def square(picture: Image.Image) -> Image.Image:
    """The middle square at 448 pixels: what both models see."""
    return ImageOps.fit(picture.convert("RGB"), (SHOWN, SHOWN), Image.Resampling.BICUBIC)
