from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from demos.attention.photos import EXAMPLES, SHOWN, open_picture, read_photo
from shared.demo import DemoError


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_is_there_without_a_network(name):
    picture, called = read_photo(None, name)
    assert picture.size == (SHOWN, SHOWN) and called == name and np.asarray(picture).std() > 10


def test_a_name_or_a_file_may_be_the_photo(tmp_path):
    assert read_photo("coffee", "chelsea")[1] == "coffee"
    Image.new("RGB", (1, 1), (10, 200, 30)).save(tmp_path / "one.png")
    picture, called = read_photo(str(tmp_path / "one.png"), "chelsea")
    assert called == "your photo" and picture.getpixel((200, 200)) == (10, 200, 30)


def test_unusual_pictures_are_read_right(tmp_path):
    Image.new("CMYK", (8, 8), (0, 255, 255, 0)).save(tmp_path / "print.jpg")
    red = open_picture(tmp_path / "print.jpg").getpixel((4, 4))
    assert red[0] > 200 and max(red[1:]) < 60
    clear = Image.new("P", (8, 8), 0)
    clear.putpalette([10, 10, 10] * 256)
    clear.save(tmp_path / "clear.png", transparency=0)
    assert open_picture(tmp_path / "clear.png").getpixel((0, 0)) == (255, 255, 255)
    turned = Image.new("RGB", (4, 2), "black")
    turned.putpixel((0, 0), (255, 255, 255))
    exif = Image.Exif()
    exif[0x0112] = 6  # turn by 90 degrees clockwise
    turned.save(tmp_path / "turned.png", exif=exif)
    found = open_picture(tmp_path / "turned.png")
    assert found.size == (2, 4) and found.getpixel((1, 0)) == (255, 255, 255)
    frames = [Image.new("RGB", (4, 4), c) for c in ("red", "blue")]
    frames[0].save(tmp_path / "moves.gif", save_all=True, append_images=frames[1:])
    assert open_picture(tmp_path / "moves.gif").getpixel((0, 0)) == (255, 0, 0)
    deep = Image.fromarray(np.full((4, 4), 257 * 100, dtype=np.uint16))
    deep.save(tmp_path / "deep.png")
    assert open_picture(tmp_path / "deep.png").getpixel((0, 0)) == (100, 100, 100)


def test_what_is_no_picture_gets_a_sentence(tmp_path):
    (tmp_path / "text.png").write_text("not a picture")
    with pytest.raises(DemoError, match="photo: the file is no picture"):
        open_picture(tmp_path / "text.png")
    rng = np.random.default_rng(0).integers(0, 255, (64, 64, 3), dtype=np.uint8)
    Image.fromarray(rng).save(tmp_path / "whole.png")
    (tmp_path / "cut.png").write_bytes((tmp_path / "whole.png").read_bytes()[:3000])
    with pytest.raises(DemoError, match="photo: the picture is damaged or cut short"):
        open_picture(tmp_path / "cut.png")
    with pytest.raises(DemoError, match="photo: there is no such file"):
        read_photo(str(tmp_path / "gone.png"), "chelsea")
    with pytest.raises(DemoError, match="photo: there is no such file"):
        read_photo("a\0b", "chelsea")


def test_a_picture_of_a_hundred_megapixels_is_refused_before_it_is_decoded(tmp_path):
    Image.new("1", (10_000, 10_000)).save(tmp_path / "huge.png")
    with pytest.raises(DemoError, match=r"photo: the picture (has 10,000 by 10,000 pixels|is too large)"):
        open_picture(tmp_path / "huge.png")
