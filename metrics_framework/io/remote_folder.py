"""Remote folders: the operations of `Folder` through fsspec."""

from __future__ import annotations

from collections.abc import Iterable

from metrics_framework.common.errors import UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.io.folder_files import Files
from metrics_framework.io.remote import OBJECT_STORES, RemoteOutput, file_system, scheme_of, system_errors


class RemoteFiles(Files):
    """A remote folder; in a store of objects, the objects whose names begin with its path."""

    @overrides
    def create(self) -> None:
        system, name = file_system(self.path)
        if scheme_of(self.path) not in OBJECT_STORES:
            with system_errors(self.path):
                system.makedirs(name, exist_ok=True)

    @overrides
    def write(self, path: str, data: Iterable[bytes]) -> None:
        output = RemoteOutput(path)
        try:
            for part in data:
                output.write(part)
            output.finish()
            output.commit()
        except OSError as error:
            if error.filename != path:
                raise  # of the data
            raise UsageError(f"cannot write to '{path}': {error.strerror}") from None
        finally:
            output.discard()

    @overrides
    def write_new(self, path: str, data: bytes) -> bool:
        if self.exists(path):
            return False
        system, name = file_system(path)
        try:
            system.pipe_file(name, data, mode="create")
        except Exception:  # each file system raises what its package raises
            if self.exists(path):
                return False
            self.write(path, (data,))  # the store cannot write on condition, or cannot be written at all
        return True

    @overrides
    def names(self) -> Iterable[str]:
        system, name = file_system(self.path)
        with system_errors(self.path):
            system.invalidate_cache()
            try:
                entries = system.ls(name, detail=True)
            except FileNotFoundError:
                return []
        return [
            entry["name"].rstrip("/").rpartition("/")[2]
            for entry in entries
            if entry.get("type") != "directory" and entry["name"].rstrip("/") != name.rstrip("/")
        ]

    @overrides
    def exists(self, path: str) -> bool:
        system, name = file_system(path)
        with system_errors(path):
            system.invalidate_cache()
            try:
                details = system.info(name)
            except FileNotFoundError:
                return False
        return bool(details["type"] != "directory")

    @overrides
    def remove(self, path: str) -> None:
        system, name = file_system(path)
        with system_errors(path):
            system.rm_file(name)

    @overrides
    def remove_strays(self) -> None:
        """Does nothing: parts that were sent before a process was killed are no files of a store."""
