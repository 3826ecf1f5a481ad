"""The options of app.py: what they make of the hosting, and one sentence for what is wrong."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from shared.options import check_address, read_logins, read_options, to_hosting
from tests.certificates import behind_a_password, make_certificate


def test_by_default_it_is_for_one_person_at_this_keyboard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPACE_ID", raising=False)
    monkeypatch.delenv("GRADIO_SERVER_NAME", raising=False)
    found = to_hosting(read_options([]))
    assert (found.public, found.each, found.most_study_seconds, found.line) == (False, None, None, 90)
    assert found.folder is None and found.memory > 0 and found.teacher == "" and found.workers == ""


def test_where_others_reach_it_a_visitor_has_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    found = to_hosting(read_options(["--host", "0.0.0.0", "--seats", "5", "--study-seconds", "60"]))
    assert (found.public, found.each, found.most_study_seconds, found.line) == (True, 3, 60.0, 15)
    monkeypatch.setenv("SPACE_ID", "someone/gallery")
    assert to_hosting(read_options([])).public


def test_the_other_options_arrive(tmp_path: Path) -> None:
    (tmp_path / "teacher").write_text("chalk\n")
    found = to_hosting(
        read_options(
            [
                "--presenter",
                "--workers",
                "dask://127.0.0.1:8786",
                "--teacher",
                str(tmp_path / "teacher"),
                "--cache",
                str(tmp_path / "kept"),
            ]
        )
    )
    assert found.presenter and found.workers == "dask://127.0.0.1:8786" and found.teacher == "chalk"
    assert found.folder == tmp_path / "kept"
    assert to_hosting(read_options(["--no-cache"])).memory == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--port", "x"], "Argument --port: a port must be a whole number from 1 to 65535, not x."),
        (["--seats", "0"], "Argument --seats: seats must be a whole number from 1 to 500, not 0."),
        (["--workers", "http://x"], "Argument --workers: workers must be a number or dask://HOST:PORT, not http://x."),
        (["--study-seconds", "nan"], "Argument --study-seconds: seconds must be from 1 to 86,400, not nan."),
        (["--auth", "nowhere"], "Argument --auth: nowhere: no such file or directory."),
        (["--auth", "/dev/null"], "Argument --auth: /dev/null: is no ordinary file."),
        (["--teacher", ""], "Argument --teacher: the name of a file is missing."),
        (["--cache", ""], "Argument --cache: the name of a folder is missing."),
        (["--workers", ""], "Argument --workers: workers must be a number or dask://HOST:PORT, not empty."),
        (["--ssl-cert", __file__], "--ssl-cert and --ssl-key belong together, and one of them is missing."),
        (["--sign-key", __file__], "--sign-cert and --sign-key belong together, and one of them is missing."),
        (["--cache", "x", "--no-cache"], "--cache keeps results and --no-cache does not: give one of them."),
        (["--share"], "Unrecognized arguments: --share."),
    ],
)
def test_a_wrong_option_gets_a_sentence(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        read_options(arguments)
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"{said} “python app.py --help” names the options.\n"


def test_only_those_in_the_file_may_enter(tmp_path: Path) -> None:
    (tmp_path / "logins").write_text("# the class\nada:love:lace\n\ngrace:hopper\n")
    may_enter = read_logins(tmp_path / "logins")
    assert may_enter("ada", "love:lace") and may_enter("grace", "hopper")
    assert not may_enter("grace", "") and not may_enter("nobody", "") and not may_enter("ada", "love")


@pytest.mark.parametrize(
    ("text", "said"), [("ada\n", "Line 1 of .* must be name:password"), ("# none\n", "names nobody")]
)
def test_a_file_of_logins_that_says_nothing_is_refused(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "logins").write_text(text)
    with pytest.raises(SystemExit, match=said):
        read_logins(tmp_path / "logins")


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\xff\xfe\x00name:password")
    with pytest.raises(SystemExit, match="is no text in UTF-8"):
        read_logins(tmp_path / "file")
    with pytest.raises(SystemExit, match="is no text in UTF-8"):
        to_hosting(read_options(["--teacher", str(tmp_path / "file")]))


@pytest.mark.parametrize("option", ["ssl", "sign"])
def test_certificates_that_are_of_no_use_are_refused_at_the_start(option: str, tmp_path: Path) -> None:
    certificate, key = make_certificate()
    _, other_key = make_certificate()
    files = {"cert": certificate, "key": key, "other": other_key, "none": b"no PEM", "locked": behind_a_password(key)}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)

    def start(certificate: str, key: str) -> None:
        to_hosting(
            read_options([f"--{option}-cert", str(tmp_path / certificate), f"--{option}-key", str(tmp_path / key)])
        )

    start("cert", "key")
    for pair in [("cert", "other"), ("cert", "none"), ("none", "key"), ("cert", "locked")]:
        with pytest.raises(SystemExit) as ended:
            start(*pair)
        said = str(ended.value.code)
        assert said.endswith(".") and "\n" not in said and 20 < len(said) < 400, said


def test_a_folder_that_keeps_nothing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SystemExit, match=r"Results cannot be kept in .*file"):
        to_hosting(read_options(["--cache", str(tmp_path / "file")]))


def test_an_address_that_is_taken_or_not_here_is_refused() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(SystemExit, match=f"Port {port} is taken by another program: choose one with --port."):
            check_address(read_options(["--port", str(port)]))
    check_address(read_options(["--port", str(port)]))
    with pytest.raises(SystemExit, match=r"listens on IPv4 addresses alone, and ::1 is of IPv6"):
        check_address(read_options(["--host", "::1"]))
    with pytest.raises(SystemExit, match=r"is no name or address of this machine"):
        check_address(read_options(["--host", "a" * 300]))
    with pytest.raises(SystemExit, match=r"cannot listen on 192\.0\.2\.1, port"):  # an address for documentation only
        check_address(read_options(["--host", "192.0.2.1"]))


def test_a_huge_file_of_names_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (tmp_path / "logins").open("wb") as file:
        file.truncate(2**21)
    with pytest.raises(SystemExit):
        read_options(["--auth", str(tmp_path / "logins")])
    assert "has 2,097,152 bytes, and at most 1,048,576 are read" in capsys.readouterr().err
