"""Names the plug-in whose code ended a run."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from metrics_framework.common.definitions import failed_at
from metrics_framework.common.errors import PluginError, message_of
from metrics_framework.common.registrable import Registrable

_BUILT_IN = "metrics_framework."


def plugin_error(error: BaseException) -> PluginError | None:
    """Returns a `PluginError` for an exception that the code of a plug-in raised, `None` for other exceptions.

    Most failures of plug-ins are named where their code is called. This function finds the others, such as a
    signature or a constructor that fails, in the traceback: it names the innermost object of a class that a plug-in
    registered. A call of `sys.exit` is always an error, because nothing in this package calls it during a run.
    """
    owner = _innermost_plugin(error.__traceback__)
    if owner is None and not isinstance(error, SystemExit):
        return None
    whose = "the run was ended" if owner is None else f"the {owner.registry().kind} '{owner.registered_name}' failed"
    return PluginError(f"{whose}{failed_at(error, owner)}: {message_of(error)}")


def _innermost_plugin(trace: TracebackType | None) -> Any:
    owner = None
    while trace is not None:
        called = trace.tb_frame.f_locals
        for candidate in (called.get("self"), called.get("cls")):
            cls = candidate if isinstance(candidate, type) else type(candidate)
            if issubclass(cls, Registrable) and not cls.__module__.startswith(_BUILT_IN):
                owner = cls
        trace = trace.tb_next
    return owner
