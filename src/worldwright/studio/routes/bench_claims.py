"""Claims beside the evidence they stand in, and operations beside a run that shows them: what somebody says of either is kept."""

from __future__ import annotations

from collections import Counter
from typing import Any

from fastapi import Depends, FastAPI, Request
from starlette.responses import RedirectResponse, Response

from worldwright.anchor.binding.records import DISPOSITIONS, ClaimRow
from worldwright.anchor.lock.files import sheet_name
from worldwright.author import verbs
from worldwright.author.beliefs import describe_operation, describe_operations
from worldwright.author.contract import make_contract
from worldwright.author.folder import CLAIMS
from worldwright.author.review import count_review, find_answer
from worldwright.author.spans import mark_sheet
from worldwright.core.canonical import sha256
from worldwright.core.errors import UsageError
from worldwright.studio.context import Studio
from worldwright.studio.forms import Form, one
from worldwright.studio.jobs import Job
from worldwright.studio.pages import link
from worldwright.studio.routes.bench_frame import BY, OpenBench, open_bench_at, read_result, render_bench, sign_world


def add_routes(app: FastAPI, studio: Studio) -> None:
    sent = Depends(studio.take_form)

    @app.get("/benches/{key}/claims")
    def show_claims(request: Request, key: str, sheet: str = "", only: str = "") -> Response:
        found = open_bench_at(studio, key)
        sheets = [name for name, _ in verbs.list_evidence(found.folder)]
        counts = Counter(sheet_name(row.at.partition("#")[0]) for row in found.bench.claims)
        chosen = sheet if sheet in sheets else max(sheets, key=lambda name: counts[name], default="")
        rows = [
            row
            for row in found.bench.claims
            if sheet_name(row.at.partition("#")[0]) == chosen and _is_wanted(row, only)
        ]
        findings: dict[str, list[Any]] = {}
        for finding in found.last.get("findings", ()):
            if str(finding.get("place", "")).startswith(f"{CLAIMS}#"):
                findings.setdefault(str(finding["place"]).partition("#")[2], []).append(finding)
        return render_bench(
            studio,
            request,
            found,
            "Claims",
            "bench_claims.html",
            sheets=[(name, counts[name]) for name in sheets],
            sheet=chosen,
            only=only,
            lines=mark_sheet(found.folder, chosen, rows) if chosen else [],
            claims=rows,
            dispositions=DISPOSITIONS,
            findings=findings,
            targets=_list_targets(found),
            sign_claim=sign_claim,
        )

    @app.post("/benches/{key}/claims")
    def bind(request: Request, key: str, form: Form = sent) -> Response:
        found = open_bench_at(studio, key)
        row = next((row for row in found.bench.claims if row.id == one(form, "id")), None)
        if row is not None and sign_claim(row) != one(form, "seen"):
            raise UsageError(f"somebody said what became of {row.id} meanwhile: look at it again before you answer")
        to = [part.strip() for part in one(form, "to").replace("\n", ",").split(",") if part.strip()]
        verbs.bind_claims(
            found.folder, [{"id": one(form, "id"), "is": one(form, "is"), "to": to, "why": one(form, "why").strip()}]
        )
        return RedirectResponse(
            link("benches", key, "claims", sheet=one(form, "sheet"), only=one(form, "only")) + f"#{one(form, 'id')}",
            303,
        )

    @app.get("/benches/{key}/operations")
    def show_operations(request: Request, key: str) -> Response:
        found = open_bench_at(studio, key)
        checked = verbs.load_bench(found.folder)
        beliefs = describe_operations(checked, make_contract(found.bench, checked).contract)
        state = sign_world(found)
        job = found.find_job("review")
        examples = {} if job is None or job.about.get("state") != state else _read_examples(job)
        running = job is not None and job.running and job.about.get("state") == state
        return render_bench(
            studio,
            request,
            found,
            "Operations",
            "bench_operations.html",
            examples=examples,
            running=running,
            ran=bool(examples) or (job is not None and not running and job.about.get("state") == state),
            rows=[(belief, find_answer(found.bench.review, belief)) for belief in beliefs],
            counts=count_review(found.bench.review, beliefs),
            live=link("benches", key, "live") if running else "",
        )

    @app.post("/benches/{key}/operations")
    def answer(request: Request, key: str, form: Form = sent) -> Response:
        found = open_bench_at(studio, key)
        checked, name = verbs.load_bench(found.folder), one(form, "operation")
        if name in checked.operations and one(form, "seen") != sha256(describe_operation(checked, name).says.encode()):
            raise UsageError("this operation does something else by now: read it again before you answer")
        said = one(form, "answer")
        instead = one(form, "instead").strip() if said == "edit" else ""
        verbs.review(found.folder, name, said, one(form, "by").strip() or BY, instead)
        return RedirectResponse(link("benches", key, "operations") + f"#{name}", 303)


def sign_claim(row: ClaimRow) -> str:
    """The digest of what became of a claim so far."""
    return sha256("\0".join((row.is_, *row.to, row.why)).encode())


def _is_wanted(row: ClaimRow, only: str) -> bool:
    return not only or row.is_ == only or (only == "open" and not row.is_)


def _list_targets(found: OpenBench) -> list[str]:
    """What claims can be bound to, as one writes it."""
    try:
        checked = verbs.load_bench(found.folder)
    except UsageError:
        return []
    named = {"policy": checked.policies, "operation": checked.operations, "entity": checked.schema.entities}
    used = {to for row in found.bench.claims for to in row.to}
    return sorted(used | {f"policy:{name}" for name in named["policy"]})


def _read_examples(job: Job) -> dict[str, Any]:
    return {
        str(one_["operation"]): one_["example"]
        for one_ in read_result(job).get("operations", ())
        if one_.get("example")
    }
