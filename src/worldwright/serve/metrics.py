"""The metrics of a server, in Prometheus' text format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from time import perf_counter
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector
from starlette.types import Message, Scope, Send

from worldwright.serve.registry import EpisodeRegistry

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
ROUTE = "worldwright.route"
"""The key of the scope under which middleware that answers a request itself names the route."""
METHODS = frozenset({"GET", "POST", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS"})


class Metrics(Collector):
    """The metrics of one worker. Each has the worker's slot as a label, so that those of all workers can be merged."""

    def __init__(self, registry: EpisodeRegistry, slot: int) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._registry, self._slot = registry, str(slot)
        self._in_work: Callable[[], int] = lambda: 0
        self._collectors = CollectorRegistry()
        self._requests = Counter(
            "worldwright_requests", "Requests that were answered.", ["worker", "method", "route", "status"],
            registry=self._collectors,
        )  # fmt: skip
        self._seconds = Histogram(
            "worldwright_request_seconds", "How long they took.", ["worker", "route"],
            buckets=BUCKETS, registry=self._collectors,
        )  # fmt: skip
        self._collectors.register(self)
        self._cached: dict[tuple[str, str, int], Counter] = {}
        self._timers: dict[str, Histogram] = {}

    def watch_requests(self, in_work: Callable[[], int]) -> None:
        """Set the function that says how many requests are in work."""
        self._in_work = in_work

    def collect(self) -> Iterator[Metric]:
        """Collect the numbers that are read from elsewhere when they are asked for."""
        counts = self._registry.counts
        yield _make_gauge("worldwright_episodes_open", "Episodes that are open.", self._slot, len(self._registry))
        yield _make_gauge("worldwright_requests_in_work", "Requests that are in work.", self._slot, self._in_work())
        events = CounterMetricFamily("worldwright_episodes", "What became of episodes.", labels=["worker", "event"])
        for event in ("created", "closed", "reaped", "refused"):
            events.add_metric([self._slot, event], getattr(counts, event))
        yield events

    def time_request(self, scope: Scope) -> RequestTimer:
        """Time a request, from here to the end of the block."""
        return RequestTimer(self, scope)

    def record(self, scope: Scope, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        route = getattr(scope.get("route"), "path", None) or scope.get(ROUTE, "none")
        method = scope["method"] if scope["method"] in METHODS else "other"
        key = (method, route, status)
        counter = self._cached.get(key)
        if counter is None:
            counter = self._cached[key] = self._requests.labels(self._slot, method, route, str(status))
        timer = self._timers.get(route)
        if timer is None:
            timer = self._timers[route] = self._seconds.labels(self._slot, route)
        counter.inc()
        timer.observe(seconds)

    def render(self) -> bytes:
        """Render the metrics of this worker."""
        return generate_latest(self._collectors)


class RequestTimer:
    """The time and the status of one request."""

    __slots__ = ("_began", "_metrics", "_scope", "_status")

    def __init__(self, metrics: Metrics, scope: Scope) -> None:
        self._metrics, self._scope = metrics, scope
        self._status = 499  # nothing was sent: the client had gone
        self._began = perf_counter()

    def __enter__(self) -> RequestTimer:
        return self

    def __exit__(self, *_: object) -> None:
        self._metrics.record(self._scope, self._status, perf_counter() - self._began)

    def wrap_send(self, send: Send) -> Send:
        """Wrap `send` to note the status of the response."""

        async def note_status(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._status = message["status"]
            await send(message)

        return note_status


def merge_metrics(texts: Sequence[bytes]) -> bytes:
    """Merge the metrics of several workers: each family once, with the samples of all."""
    families: dict[str, Metric] = {}
    for text in texts:
        for family in text_string_to_metric_families(text.decode()):
            known = families.setdefault(family.name, family)
            if known is not family:
                known.samples.extend(family.samples)
    return generate_latest(_CollectedMetrics(families.values()))


class _CollectedMetrics(CollectorRegistry):
    """A registry of metrics that were collected elsewhere."""

    def __init__(self, families: Iterable[Metric]) -> None:
        super().__init__()
        self._families = list(families)

    def collect(self) -> Iterator[Metric]:
        yield from self._families


def _make_gauge(name: str, says: str, slot: str, value: Any) -> Metric:
    gauge = GaugeMetricFamily(name, says, labels=["worker"])
    gauge.add_metric([slot], value)
    return gauge
