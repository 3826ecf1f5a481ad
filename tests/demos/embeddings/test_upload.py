"""Every hostile file on the list, with the sentence that it gets; and honest files in every dress."""

from __future__ import annotations

import io
import os
import pickle
import zipfile

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from demos.embeddings import data, pictures, tables, upload
from demos.embeddings.compute import compare
from demos.embeddings.settings import EmbeddingSettings
from demos.embeddings.upload import read_upload
from shared.demo import DemoError, no_progress


def read(path, label="", most=2000):
    return read_upload(str(path), label, most, no_progress)


def write(folder, name, content):
    file = folder / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def prepared(path, **settings):
    return data.load(EmbeddingSettings(dataset="upload", upload=str(path), **settings), no_progress)


def table(rows, columns=3, seed=0):
    return np.random.default_rng(seed).normal(size=(rows, columns))


def as_csv(values, separator=",", header=True, decimal="."):
    lines = [separator.join(f"c{i}" for i in range(values.shape[1]))] if header else []
    lines += [separator.join(f"{v:.6f}".replace(".", decimal) for v in row) for row in values]
    return "\n".join(lines) + "\n"


# What is refused, and in which words


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.txt", "1,2", "upload: a file must be one of .csv, .tsv, .npy, .parquet, .zip, not “.txt”."),
        ("a.csv", "", "upload: the file is empty."),
        ("a.csv", "x,y\n", "upload: the table has no rows."),
        ("a.csv", "1,2\n3,4\n1,2,3\n", "upload: line 3 has 3 cells and those above have 2."),
        (
            "a.csv",
            "a,b\nred,blue\ngreen,red\n",
            "upload: no column holds numbers; lines of text go into “Your text” instead.",
        ),
        ("a.csv", b"1,2\0\n3,4\n", "upload: this is no text file: it holds zero bytes."),
        ("a.npy", b"\x93NUMPY nonsense", "upload: the .npy can't be read; it is damaged or shorter than it says."),
        ("a.parquet", "PAR1 nonsense", "upload: the Parquet file can't be read; it is damaged or no Parquet file."),
        ("a.zip", "PK nonsense", "upload: the zip can't be read; it is damaged or no zip."),
    ],
)
def test_what_is_refused(tmp_path, name, content, sentence):
    with pytest.raises(DemoError) as error:
        read(write(tmp_path, name, content))
    assert str(error.value) == sentence


def test_a_file_that_is_gone_or_a_folder(tmp_path):
    for path in (tmp_path / "gone.csv", tmp_path, "a\0b.csv"):
        with pytest.raises(DemoError, match=r"upload: the file is not there any more; choose it again\."):
            read(path)


def test_a_pickle_inside_an_npy_is_never_run(tmp_path):
    class Evil:
        def __reduce__(self):
            return (os.mkdir, (str(tmp_path / "pwned"),))

    np.save(tmp_path / "evil.npy", np.array([[Evil()]], dtype=object), allow_pickle=True)
    raw = write(tmp_path, "raw.npy", pickle.dumps(Evil()))
    for file in (tmp_path / "evil.npy", raw):
        with pytest.raises(
            DemoError, match=r"holds Python objects \(a pickle\), which could run code; save numbers instead\."
        ):
            read(file)
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize(
    ("array", "sentence"),
    [
        (np.zeros(5), "upload: the .npy must have two dimensions, rows and columns, not 1."),
        (np.zeros((2, 2, 2)), "upload: the .npy must have two dimensions, rows and columns, not 3."),
        (np.zeros((3, 2), dtype=complex), "upload: the .npy must hold plain numbers: whole, real, or yes and no."),
        (np.array([["a", "b"]]), "upload: the .npy must hold plain numbers: whole, real, or yes and no."),
        (np.zeros((0, 3)), "upload: the .npy has no rows."),
        (np.zeros((3, 0)), "upload: there is no column."),
        (np.zeros((4, 5000)), "upload: at most 4,096 columns are read, and here are more."),
    ],
)
def test_npy_of_another_kind(tmp_path, array, sentence):
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(DemoError) as error:
        read(tmp_path / "a.npy")
    assert str(error.value) == sentence


def test_a_gigabyte_of_zeros_in_a_zip_is_refused_unread(tmp_path):
    bomb = zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1)
    with bomb, bomb.open("zeros.png", "w", force_zip64=True) as entry:
        for _ in range(1024):
            entry.write(bytes(2**20))
    assert (tmp_path / "bomb.zip").stat().st_size < 2**23
    with pytest.raises(DemoError) as error:
        read(tmp_path / "bomb.zip")
    assert str(error.value) == "upload: the zip unpacks to 1,024 MB; at most 200 MB are read."


def test_a_zip_without_pictures_or_with_too_few(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("../../etc/passwd", "x")
    with pytest.raises(DemoError, match=r"upload: the zip holds no pictures \(\.png, "):
        read(tmp_path / "a.zip")
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        for i in range(6):
            archive.writestr(f"{i}.png", b"no picture")
    with pytest.raises(DemoError, match=r"upload: at least 4 pictures are needed, and 0 of 6 could be read\."):
        read(tmp_path / "b.zip")


def test_a_picture_of_enormous_size_is_not_decoded(tmp_path, monkeypatch):
    monkeypatch.setattr(pictures, "MOST_PIXELS", 100)
    file = io.BytesIO()
    Image.new("RGB", (20, 20)).save(file, "PNG")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for i in range(5):
            archive.writestr(f"{i}.png", file.getvalue())
    with pytest.raises(DemoError, match="0 of 5 could be read"):
        read(tmp_path / "a.zip")


@pytest.mark.parametrize("cell", ["1.5", '"1.5"', "1.23456789012345678"])
def test_a_table_of_very_many_columns_is_refused_before_it_is_read(tmp_path, monkeypatch, cell):
    monkeypatch.setattr(tables.pd, "read_csv", lambda *a, **k: pytest.fail("it was read"))
    line = ",".join([cell] * 100_000)
    with pytest.raises(DemoError, match=r"^upload: at most 4,096 columns are read, and here are more\.$"):
        read(write(tmp_path, "wide.csv", f"{line}\n{line}\n"))


def test_a_file_above_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(upload, "MOST_BYTES", 2**20)
    with pytest.raises(DemoError, match=r"upload: the file has 2 MB; at most 1 MB are read\."):
        read(write(tmp_path, "a.csv", "1" * 2**21))


# Few rows, equal rows


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (1, "At least 4 rows with numbers are needed, and there is 1 row."),
        (2, "At least 4 rows with numbers are needed, and there are 2 rows."),
    ],
)
def test_one_row_and_two_rows(tmp_path, rows, sentence):
    with pytest.raises(DemoError) as error:
        prepared(write(tmp_path, "a.csv", as_csv(table(rows))))
    assert str(error.value) == sentence


def test_duplicates_only(tmp_path):
    with pytest.raises(DemoError) as error:
        prepared(write(tmp_path, "a.csv", "a,b\n" + "1,2\n" * 50))
    assert str(error.value) == "All 50 rows are the same, so there is nothing to lay out."


def test_four_rows_are_laid_out_with_what_they_allow(tmp_path):
    file = write(tmp_path, "a.csv", as_csv(table(4)))
    found = compare(EmbeddingSettings(dataset="upload", upload=str(file)))
    assert [s.arrays["points"].shape for s in found.sides] == [(4, 2)] * 2
    assert all(np.isfinite(s.arrays["points"]).all() for s in found.sides)
    assert "4 points allow a perplexity of 1 at most; that was used." in found.takeaway
    assert "4 points allow n_neighbors of 3 at most; that was used." in found.takeaway
    assert found.settings["upload"] == "a.csv"


def test_two_far_groups_of_duplicates_stay_two_groups(tmp_path):
    values = np.repeat([[0.0, 0.0, 0.0], [1e6, 1e6, 5.0]], 40, axis=0)
    np.save(tmp_path / "a.npy", values)
    found = compare(EmbeddingSettings(dataset="upload", upload=str(tmp_path / "a.npy"), third="pca"))
    for side in found.sides:
        layout = side.arrays["points"]
        assert np.isfinite(layout).all(), side.label
        gap = np.linalg.norm(layout[:40].mean(axis=0) - layout[40:].mean(axis=0))
        assert gap > max(layout[:40].std(), layout[40:].std()), side.label


def test_fewer_rows_than_neighbors_or_perplexity(tmp_path):
    np.save(tmp_path / "a.npy", table(20, 5))
    settings = EmbeddingSettings(dataset="upload", upload=str(tmp_path / "a.npy"), perplexity=100, n_neighbors=100)
    found = compare(settings)
    assert "20 points allow a perplexity of 6.33 at most" in found.takeaway
    assert "20 points allow n_neighbors of 19 at most" in found.takeaway


# Numbers that are none


def test_rows_with_missing_and_infinite_numbers_are_dropped_and_counted(tmp_path):
    lines = as_csv(table(30)).splitlines()
    lines[3], lines[5], lines[7] = "nan,1,2", "1,,2", "1,inf,2"
    found = read(write(tmp_path, "a.csv", "\n".join(lines)))
    assert len(found) == 27 and np.isfinite(found.features).all()
    assert found.notes == (
        "2 rows with a missing or unreadable number dropped.",
        "1 row with an infinite number dropped.",
    )
    values = table(30)
    values[0, 0], values[1, 1] = np.nan, -np.inf
    np.save(tmp_path / "a.npy", values)
    assert len(read(tmp_path / "a.npy")) == 28


def test_no_whole_row_is_left(tmp_path):
    with pytest.raises(DemoError, match=r"upload: no row is left\. 3 rows with a missing"):
        read(write(tmp_path, "a.csv", "a,b\n1,\n,2\n3,\n"))


def test_constant_columns_are_left_out(tmp_path):
    values = table(30, 4)
    values[:, 2] = 7
    found = prepared(write(tmp_path, "a.csv", as_csv(values)), standardize=True)
    assert found.features.shape == (30, 3) and found.notes == ("1 constant column left out.",)
    assert found.features.std(axis=0) == pytest.approx([1, 1, 1])


def test_numbers_too_large_to_square(tmp_path):
    np.save(tmp_path / "a.npy", table(10) * 1e200)
    with pytest.raises(DemoError, match="Some numbers are too large to take distances of"):
        prepared(tmp_path / "a.npy")


# Honest tables in every dress


def test_a_million_rows_become_a_sample_and_it_is_said(tmp_path):
    np.save(tmp_path / "a.npy", np.random.default_rng(0).normal(size=(1_000_000, 4)).astype("f4"))
    found = prepared(tmp_path / "a.npy", n_points=200)
    assert len(found) == 200 and found.rows == 1_000_000 and found.sampled
    assert np.array_equal(found.features, prepared(tmp_path / "a.npy", n_points=200, seed=9).features)
    result = compare(EmbeddingSettings(dataset="upload", upload=str(tmp_path / "a.npy"), n_points=200))
    assert "This is a sample of 200 of 1,000,000 rows." in result.takeaway
    assert all("a sample of 200 of 1,000,000 points" in side.captions[0] for side in result.sides)


def test_a_large_csv_is_sampled_evenly(tmp_path):
    rows = 60_000
    file = write(tmp_path, "a.csv", "n,m\n" + "".join(f"{i},{i % 7}\n" for i in range(rows)))
    found = read(file, most=3000)
    assert len(found) == 3000 and found.rows == rows
    thirds = np.histogram(found.features[:, 0], bins=3, range=(0, rows))[0]
    assert thirds.min() > 850 and len(set(found.features[:, 0])) == 3000


@pytest.mark.parametrize(("separator", "decimal"), [(",", "."), (";", "."), (";", ","), ("\t", "."), ("|", ".")])
@pytest.mark.parametrize("header", [True, False])
def test_separators_headers_and_decimal_commas(tmp_path, separator, decimal, header):
    values = table(12)
    text = as_csv(values, separator, header, decimal)
    found = read(write(tmp_path, "a.csv", text))
    assert np.allclose(found.features, values, atol=1e-5)


def test_tsv(tmp_path):
    values = table(12)
    assert np.allclose(read(write(tmp_path, "a.tsv", as_csv(values, "\t"))).features, values, atol=1e-5)


@pytest.mark.parametrize(
    ("encoding", "note"),
    [
        ("cp1252", "The file is not UTF-8; its letters were read as Windows-1252."),
        ("utf-16", "The file is UTF-16."),
        ("utf-8-sig", ""),
    ],
)
def test_encodings(tmp_path, encoding, note):
    text = "größe,n,label\n" + "".join(f"{i},{i * i},{'café' if i % 2 else 'thé'}\n" for i in range(8))
    found = read(write(tmp_path, "a.csv", text.encode(encoding)))
    assert found.labels[:2] == ("thé", "café") and found.features.shape == (8, 2)
    assert found.notes == ((note,) if note else ())


def test_text_columns_and_a_formula_are_shown_and_not_laid_out(tmp_path):
    text = "a,b,name\n" + "".join(f"{i},{i % 3},=cmd|' /C calc'!A{i}\n" for i in range(9))
    found = read(write(tmp_path, "a.csv", text))
    assert found.features.shape == (9, 2) and found.texts[0] == "=cmd|' /C calc'!A0"
    assert found.notes == ("Column “name” holds text: shown, not laid out.",)


def test_labels_by_name_by_themselves_or_wrong(tmp_path):
    text = "a,b,species,y\n" + "".join(f"{i},{i % 3},{'cat' if i % 2 else 'dog'},{i % 2}\n" for i in range(9))
    file = write(tmp_path, "a.csv", text)
    assert set(read(file).labels) == {"0", "1"}
    assert set(read(file, "Species ").labels) == {"cat", "dog"}
    with pytest.raises(DemoError) as error:
        read(file, "colour")
    assert str(error.value) == "label_column: there is no column “colour”; the columns are a, b, species, y."


def test_parquet(tmp_path):
    frame = pd.DataFrame({"a": table(40)[:, 0], "b": range(40), "kind": ["x", "z"] * 20})
    frame["when"] = pd.Timestamp("2024-01-01")
    frame.loc[3, "a"] = np.nan
    frame.to_parquet(tmp_path / "a.parquet")
    found = read(tmp_path / "a.parquet")
    assert found.features.shape == (39, 2) and set(found.labels) == {"x", "z"}
    assert found.notes == (
        "1 column that holds neither numbers nor text left out.",
        "1 row with a missing or unreadable number dropped.",
    )


def test_a_parquet_that_unpacks_to_too_much(tmp_path, monkeypatch):
    pd.DataFrame({"a": np.zeros(50_000)}).to_parquet(tmp_path / "a.parquet")
    monkeypatch.setattr(tables, "MOST_UNPACKED", 0)
    with pytest.raises(DemoError, match="upload: the Parquet file unpacks to more than 0 GB"):
        read(tmp_path / "a.parquet")


def test_an_upload_that_was_never_made():
    with pytest.raises(DemoError, match="The data set is “upload”, and no file is there yet"):
        compare(EmbeddingSettings(dataset="upload"))
