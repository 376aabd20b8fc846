"""The machines of a Dask cluster, for the work of one scan that can be divided: ``scanner/remote.py``."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager

from pyrograph.fleet.cluster import connected
from pyrograph.model.refusal import Refusal, refusing
from pyrograph.scanner.remote import Connect


def connection(address: str) -> Connect:
    """Connects to the cluster whose scheduler has this address, for as long as there is work.

    It raises Refusal: no scheduler answers, it has no workers, or they have another version.
    """

    @contextmanager
    def connect() -> Iterator[tuple[Executor, int]]:
        with ExitStack() as stack:
            with refusing():
                cluster = stack.enter_context(connected(address))
            if not cluster.workers:
                raise Refusal(f"{address}: the scheduler has no workers; start some with `dask worker {address}`")
            yield cluster.executor(), cluster.workers

    return connect


__all__ = ["connection"]
