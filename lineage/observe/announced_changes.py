"""Changes of files that audit events announce. Whether they succeed is known only afterwards.

Each method is one operation on a dictionary after the other: an audit hook must not take a lock.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lineage.observe.path_state import file_identity, link_status, plain_path

if TYPE_CHECKING:
    import os
    from collections.abc import Callable


@dataclass(slots=True, eq=False)
class _Change:
    file: tuple[int, int] | None
    thread: int
    apply: Callable[[], None]
    revoke: Callable[[], None] | None
    is_of_tree: bool


class AnnouncedChanges:
    """Changes that are done when their path no longer has the file that it had before.

    The next event of the same thread decides, because events precede their operations. Other
    threads may have events while the change goes on. The removal of a tree has its own events.
    """

    def __init__(self) -> None:
        self.pending: dict[str, _Change] = {}

    def announce_change(
        self,
        path: str,
        before: os.stat_result | None,
        apply: Callable[[], None],
        *,
        revoke: Callable[[], None] | None = None,
        is_of_tree: bool = False,
    ) -> None:
        """Call ``apply`` when the change of ``path`` is done, or ``revoke`` when it has failed.

        ``before``: the status of the path, None if nothing is there.
        """
        self.pending[path] = _Change(
            file_identity(before), threading.get_ident(), apply, revoke, is_of_tree
        )

    def settle_changes(self, *, at_end: bool = False) -> bool:
        """Decide on changes before an event of this thread; return whether one was done.

        ``at_end``: decide on all.
        """
        thread = threading.get_ident()
        has_changed = False
        for path, change in list(self.pending.items()):
            is_done = file_identity(link_status(path)) != change.file
            is_over = change.thread == thread and not change.is_of_tree
            if not (is_done or is_over or at_end) or self.pending.pop(path, None) is not change:
                continue
            if is_done:
                change.apply()
                has_changed = True
            elif change.revoke is not None:
                change.revoke()
        return has_changed

    def is_removing(self, name: str) -> bool:
        """Return whether this thread removes a tree that has the directory of a relative path.

        ``shutil.rmtree`` opens the tree by its path, and directories below by their last names.
        """
        thread = threading.get_ident()
        return any(
            ("/" not in name or plain_path(name) == path)
            and file_identity(link_status(path)) == change.file
            for path, change in list(self.pending.items())
            if change.is_of_tree and change.thread == thread
        )
