"""Files are written whole or not at all, and what stood there survives a failure."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from rankreport.errors import OutputError
from rankreport.io.spreadsheet import guarded
from rankreport.io.writing import check_suffix, replacing, together, write_frame


def write(path, text="new"):
    with replacing(path) as file:
        file.write_text(text, encoding="utf-8")


def test_what_was_written_is_moved_into_place(tmp_path):
    target = tmp_path / "out.txt"
    with replacing(target) as file:
        assert file.parent == tmp_path
        file.write_text("half", encoding="utf-8")
        assert not target.exists()
    assert target.read_text(encoding="utf-8") == "half"
    assert list(tmp_path.iterdir()) == [target]


def test_a_path_may_be_a_text_and_relative(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("out.txt")
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == "new"


class Interruption(BaseException):
    pass


@pytest.mark.parametrize("failure", [ValueError, Interruption, KeyboardInterrupt])
def test_a_failure_leaves_what_stood_there_and_nothing_else(tmp_path, failure):
    target = tmp_path / "out.txt"
    target.write_text("old", encoding="utf-8")

    def fail():
        with replacing(target) as file:
            file.write_text("half", encoding="utf-8")
            raise failure

    with pytest.raises(failure):
        fail()
    assert target.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_full_disk_is_said_in_words(tmp_path):
    def fail():
        with replacing(tmp_path / "out.txt"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(
        OutputError, match=r"out\.txt cannot be written: No space left on device\.$"
    ):
        fail()
    assert not list(tmp_path.iterdir())


def test_a_missing_folder_is_refused(tmp_path):
    with pytest.raises(OutputError, match=r"nowhere.out\.txt cannot be written: .*folder exist\?"):
        write(tmp_path / "nowhere" / "out.txt")


def test_a_folder_in_the_file_s_place_is_refused(tmp_path):
    with pytest.raises(OutputError, match="is a folder; a file's name is expected"):
        write(tmp_path)
    with pytest.raises(OutputError, match="is a folder"):
        write("")


def test_a_file_in_the_folder_s_place_is_refused(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(OutputError, match="cannot be written: Not a directory"):
        write(tmp_path / "file" / "out.txt")


def test_a_name_that_is_too_long_is_refused(tmp_path):
    with pytest.raises(OutputError, match="cannot be written: File name too long"):
        write(tmp_path / ("x" * 300))
    assert not list(tmp_path.iterdir())


def test_a_name_as_long_as_can_be_is_written(tmp_path):
    name = "中" * 85  # 255 bytes
    write(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_or_a_device_is_never_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OutputError, match="not a regular file"):
        write(pipe)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_link_is_followed(tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (tmp_path / "latest.txt").symlink_to(folder / "out.txt")
    for text in ("first", "second"):
        write(tmp_path / "latest.txt", text)
        assert (tmp_path / "latest.txt").is_symlink()
        assert (folder / "out.txt").read_text(encoding="utf-8") == text
    assert [path.name for path in folder.iterdir()] == ["out.txt"]


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_new_file_has_the_permissions_of_any_other_and_an_old_one_keeps_its_own(tmp_path):
    before = os.umask(0o027)
    try:
        write(tmp_path / "out.txt")
        assert stat.S_IMODE((tmp_path / "out.txt").stat().st_mode) == 0o640
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(before)
    (tmp_path / "out.txt").chmod(0o600)
    write(tmp_path / "out.txt", "again")
    assert stat.S_IMODE((tmp_path / "out.txt").stat().st_mode) == 0o600


@pytest.mark.skipif(
    os.name != "posix" or os.geteuid() == 0, reason="nothing keeps the superuser from writing"
)
def test_a_folder_that_may_not_be_written_to_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(OutputError, match="cannot be written: Permission denied"):
            write(tmp_path / "out.txt")
    finally:
        tmp_path.chmod(0o700)


# --- sets of files --------------------------------------------------------------------------------


def test_a_set_that_fails_midway_is_taken_back_whole(tmp_path):
    (tmp_path / "old.txt").write_text("old", encoding="utf-8")

    def fail():
        with together():
            write(tmp_path / "old.txt")
            write(tmp_path / "new.txt")
            write(tmp_path / "old.txt", "newer")
            write(tmp_path / "nowhere" / "out.txt")

    with pytest.raises(OutputError):
        fail()
    assert [path.name for path in tmp_path.iterdir()] == ["old.txt"]
    assert (tmp_path / "old.txt").read_text(encoding="utf-8") == "old"


def test_a_set_that_succeeds_leaves_nothing_else(tmp_path):
    (tmp_path / "old.txt").write_text("old", encoding="utf-8")
    with together():
        write(tmp_path / "old.txt")
        write(tmp_path / "new.txt")
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == {
        "old.txt": "new",
        "new.txt": "new",
    }


def test_a_set_within_a_set_is_part_of_it(tmp_path):
    (tmp_path / "old.txt").write_text("old", encoding="utf-8")

    def fail():
        with together():
            with together():
                write(tmp_path / "old.txt")
                write(tmp_path / "new.txt")
            raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011 - the one raised here
        fail()
    assert [path.name for path in tmp_path.iterdir()] == ["old.txt"]
    assert (tmp_path / "old.txt").read_text(encoding="utf-8") == "old"


def failing_set(folder, names):
    with together():
        for name in names:
            write(folder / name)
        raise OutputError("The disk is full.")


def test_what_cannot_be_put_back_is_kept_and_named_and_the_rest_is_put_back(tmp_path, monkeypatch):
    names = ["a.txt", "b.txt", "c.txt"]
    for name in names:
        (tmp_path / name).write_text("old", encoding="utf-8")
    real = Path.replace

    def replace(self, target):
        if target.name == "b.txt" and self.read_text(encoding="utf-8") == "old":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(OutputError) as caught:
        failing_set(tmp_path, names)
    message = str(caught.value)
    assert message.startswith("The disk is full. ")
    (kept,) = {path for path in tmp_path.iterdir() if path.name not in names}
    assert f"b.txt cannot be put back (Input/output error), and is kept as {kept}." in message
    texts = [path.read_text(encoding="utf-8") for path in (kept, *(tmp_path / n for n in names))]
    assert texts == ["old", "old", "new", "old"]


def test_no_space_is_needed_to_put_back_what_was_there(tmp_path, monkeypatch):
    (tmp_path / "old.txt").write_text("old", encoding="utf-8")

    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("shutil.copy2", full)
    with pytest.raises(OutputError, match=r"^The disk is full\.$"):
        failing_set(tmp_path, ["old.txt"])
    assert [path.name for path in tmp_path.iterdir()] == ["old.txt"]
    assert (tmp_path / "old.txt").read_text(encoding="utf-8") == "old"


def test_a_file_system_without_links_has_copies(tmp_path, monkeypatch):
    (tmp_path / "old.txt").write_text("old", encoding="utf-8")

    def none(*_, **__):
        raise NotImplementedError

    monkeypatch.setattr(Path, "hardlink_to", none)
    with pytest.raises(OutputError, match=r"^The disk is full\.$"):
        failing_set(tmp_path, ["old.txt"])
    assert (tmp_path / "old.txt").read_text(encoding="utf-8") == "old"
    monkeypatch.setattr("shutil.copy2", none)
    with pytest.raises(NotImplementedError):
        failing_set(tmp_path, ["old.txt"])
    assert [path.name for path in tmp_path.iterdir()] == ["old.txt"]


def test_signals_wait_while_files_are_put_back(tmp_path, monkeypatch):
    names = ["a.txt", "b.txt"]
    for name in names:
        (tmp_path / name).write_text("old", encoding="utf-8")
    real = Path.replace

    def interrupted(self, target):
        if self.read_text(encoding="utf-8") == "old":
            signal.raise_signal(signal.SIGINT)  # a second Ctrl-C
        return real(self, target)

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        failing_set(tmp_path, names)
    assert {p.name: p.read_text(encoding="utf-8") for p in tmp_path.iterdir()} == dict.fromkeys(
        names, "old"
    )


FULL_DISK = """
import resource, sys
import polars as pl
import rankreport as rr
from rankreport.io.writing import write_frame
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    write_frame(sys.argv[1], pl.DataFrame({"a": range(10_000)}))
except rr.OutputError as error:
    print(error)
"""


@pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")
@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".json"])
def test_a_disk_that_is_full_for_polars_is_said_in_words(suffix, tmp_path):
    target = tmp_path / f"out{suffix}"
    target.write_text("old", encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, "-c", FULL_DISK, target], capture_output=True, text=True, check=False
    )
    assert ended.stdout == f"{target} cannot be written: File too large.\n", ended.stderr
    assert [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()] == ["old"]


@pytest.mark.parametrize("suffix", [".csv", ".json", ".parquet"])
@pytest.mark.parametrize("lengths", [[0], [0, 0], [3], [3, 0, 2], [0, 4], [300_000, 5]], ids=str)
def test_frames_are_written_as_one(suffix, lengths, tmp_path):
    names = pl.Series("query_id", ["q,1", '"', "=x", "\u7b2c\n", ""])
    frames = [
        pl.select(text=names.gather(pl.int_range(n, eager=True) % 5), value=pl.int_range(n) / 7)
        for n in lengths
    ]
    write_frame(tmp_path / f"parts{suffix}", iter(frames))
    one = pl.concat(frames)
    if suffix == ".csv":
        guarded(one).write_csv(tmp_path / "one")
    elif suffix == ".json":
        one.write_json(tmp_path / "one")
    else:
        one.write_parquet(tmp_path / "one")
    assert (tmp_path / f"parts{suffix}").read_bytes() == (tmp_path / "one").read_bytes()


@pytest.mark.parametrize("kind", [str, Path])
def test_an_output_is_no_address(kind):
    with pytest.raises(OutputError) as raised:
        check_suffix(kind("https://me:word@a.b/x.csv?token=1"), "to_csv", ".csv")
    assert str(raised.value) == (
        "https://a.b/x.csv is an address. For the output, give a local path."
    )
