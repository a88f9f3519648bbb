"""What a server has done, in Prometheus' text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from time import perf_counter
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector
from starlette.types import Message, Scope, Send

from worldwright.serve.lobby import Lobby

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
ROUTE = "worldwright.route"
"""Where a request that no route of the app answers says what it is."""
METHODS = frozenset({"GET", "POST", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS"})


class Metrics(Collector):
    """The counts of one worker. Each has the worker's place as a label, so those of all can be put together."""

    def __init__(self, lobby: Lobby, place: int) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._lobby, self._place = lobby, str(place)
        self._inside: Callable[[], int] = lambda: 0
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "worldwright_requests", "Requests that were answered.", ["worker", "method", "route", "status"],
            registry=self._registry,
        )  # fmt: skip
        self._seconds = Histogram(
            "worldwright_request_seconds", "How long they took.", ["worker", "route"],
            buckets=BUCKETS, registry=self._registry,
        )  # fmt: skip
        self._registry.register(self)
        self._known: dict[tuple[str, str, int], Counter] = {}
        self._timers: dict[str, Histogram] = {}

    def watch_requests(self, inside: Callable[[], int]) -> None:
        """Where to ask how many requests are in work."""
        self._inside = inside

    def collect(self) -> Iterator[Metric]:
        """What is looked up when it is asked for."""
        counts = self._lobby.counts
        yield _gauge("worldwright_episodes_open", "Episodes that are open.", self._place, len(self._lobby))
        yield _gauge("worldwright_requests_in_work", "Requests that are in work.", self._place, self._inside())
        events = CounterMetricFamily("worldwright_episodes", "What became of episodes.", labels=["worker", "event"])
        for event in ("created", "closed", "reaped", "refused"):
            events.add_metric([self._place, event], getattr(counts, event))
        yield events

    def request(self, scope: Scope) -> Timed:
        return Timed(self, scope)

    def note(self, scope: Scope, status: int, seconds: float) -> None:
        """A request was answered."""
        route = getattr(scope.get("route"), "path", None) or scope.get(ROUTE, "none")
        method = scope["method"] if scope["method"] in METHODS else "other"
        key = (method, route, status)
        counter = self._known.get(key)
        if counter is None:
            counter = self._known[key] = self._requests.labels(self._place, method, route, str(status))
        timer = self._timers.get(route)
        if timer is None:
            timer = self._timers[route] = self._seconds.labels(self._place, route)
        counter.inc()
        timer.observe(seconds)

    def text(self) -> bytes:
        return generate_latest(self._registry)


class Timed:
    """One request, from the door to its answer."""

    __slots__ = ("_began", "_metrics", "_scope", "_status")

    def __init__(self, metrics: Metrics, scope: Scope) -> None:
        self._metrics, self._scope = metrics, scope
        self._status = 499  # nothing was sent: the client had gone
        self._began = perf_counter()

    def __enter__(self) -> Timed:
        return self

    def __exit__(self, *_: object) -> None:
        self._metrics.note(self._scope, self._status, perf_counter() - self._began)

    def sender(self, send: Send) -> Send:
        async def note_status(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._status = message["status"]
            await send(message)

        return note_status


def merged(texts: Sequence[bytes]) -> bytes:
    """The texts of several workers as one: each family of numbers once, with the samples of all."""
    families: dict[str, Metric] = {}
    for text in texts:
        for family in text_string_to_metric_families(text.decode()):
            known = families.setdefault(family.name, family)
            if known is not family:
                known.samples.extend(family.samples)
    return generate_latest(_Found(families.values()))


class _Found(CollectorRegistry):
    """A registry of what was collected elsewhere."""

    def __init__(self, families: Iterable[Metric]) -> None:
        super().__init__()
        self._families = list(families)

    def collect(self) -> Iterator[Metric]:
        yield from self._families


def _gauge(name: str, says: str, place: str, value: Any) -> Metric:
    gauge = GaugeMetricFamily(name, says, labels=["worker"])
    gauge.add_metric([place], value)
    return gauge
