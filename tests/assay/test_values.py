"""The check of values: what it finds wrong with rows, what it lets pass, and that it knows nothing of what draws them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from studies.values import main

import worldwright.assay.value_forms
import worldwright.assay.values
from worldwright.assay.value_forms import allows_codes, find_form, is_code_like
from worldwright.assay.values import ValueReport, check_values, read_rows
from worldwright.blueprint.load import load_text
from worldwright.kinds.database.compile.state.build import grow_state
from worldwright.kinds.database.compiled_world import CompiledWorld

WORLD = """
blueprint: desk
title: Desk
now: 2025-06-16T09:00:00Z
systems: {desk: the desk}
actor: {entity: clerk, role: role}
roles: {worker: works}
entities:
  clerk:
    in: desk
    key: CLK-##
    rows: 5
    fields: {name: person, role: one of worker}
  customer:
    in: desk
    key: CUS-###
    rows: 20
    fields: {name: company, city: city}
  order:
    in: desk
    key: ORD-###
    rows: 20
    fields:
      customer: customer as orders ~ any(c for c in customer)
      customer_name: text ~ customer.name
      currency: text ~ text_of('currency')
      title: text ~ text_of('title')
      reference: text ~ text_like('[A-Z]{2}-[0-9]{5}')
      latitude: decimal(2) ~ between(-60, 60)
      created_at: time ~ at(today - between(20, 90), 9)
      updated_at: time ~ add_hours(created_at, between(1, 300))
      start_date: date ~ today - between(5, 40)
      end_date: date ~ start_date + between(1, 20)
      payer_id: {type: text, draw: any(c for c in customer).id, says: ID of the customer who pays}
      website: text ~ text_of('website')
operations:
  find_orders: {in: desk, says: Search., by: anyone, search: order, filters: [], sort: [id]}
"""


def report_on(old: str = "", new: str = "") -> ValueReport:
    assert not old or WORLD.count(old) == 1
    compiled = CompiledWorld(load_text(WORLD.replace(old, new)))
    return check_values(compiled.blueprint.schema, read_rows(compiled, grow_state(compiled, 7).data))


def test_rows_that_fit_their_columns_pass() -> None:
    report = report_on()
    assert report.findings == ()
    assert (report.date_pairs, report.references) == (2, 1)
    assert report.telling < report.texts, "a reference may be a code"


CODE = "text_like('[A-Z]{2}-[0-9]{5}')"


@pytest.mark.parametrize(
    ("old", "new", "code", "place"),
    [
        ("title: text ~ text_of('title')", f"title: text ~ {CODE}", "code_like", "order.title"),
        ("currency: text ~ text_of('currency')", f"currency: text ~ {CODE}", "contradicts", "order.currency"),
        ("between(-60, 60)", "between(100, 300)", "contradicts", "order.latitude"),
        ("website: text ~ text_of('website')", "website: text ~ 'www'", "constant", "order.website"),
        ("add_hours(created_at, between(1, 300))", "at(today - between(1, 120), 9)", "wrong_order", "order.updated_at"),
        ("start_date + between(1, 20)", "start_date - between(1, 20)", "wrong_order", "order.end_date"),
        ("payer_id: {type: text, draw: any(c for c in customer).id", "customer_id: {type: text, draw: \"letters(4)\"",
         "dangling", "order.customer_id"),
        ("~ customer.name", "~ any(c for c in customer).name", "name_disagrees", "order.customer_name"),
    ],
)  # fmt: skip
def test_rows_that_do_not_fit_are_found(old: str, new: str, code: str, place: str) -> None:
    found = report_on(old, new).findings
    (one,) = [f for f in found if f.code == code]
    assert one.place == place
    assert 0 < one.share <= 1
    assert one.says


def test_codes_are_told_from_words() -> None:
    assert all(map(is_code_like, ("KP-69079", "HHK", "YVN", "WFBNAMBD", "AB", "1234-XY")))
    assert not any(
        map(is_code_like, ("Delivery window", "USA", "ACTIVE", "in stock", "North", "2025-05-01", "Suite 4"))
    )
    assert allows_codes("tracking_number", "")
    assert allows_codes("owner", "The ID of the user")
    assert not allows_codes("description", "")


def test_a_description_decides_before_a_name() -> None:
    by_name, by_says = find_form("home_country", "", "text"), find_form("origin", "ISO 3166 code", "text")
    assert by_name is not None
    assert by_says is not None
    assert (by_name.label, by_says.label) == ("a country", "a country code")
    assert find_form("mystery", "", "text") is None


def test_the_check_is_not_made_of_what_it_checks() -> None:
    for module in (worldwright.assay.values, worldwright.assay.value_forms):
        tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
        names = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert not {n for n in names if "anchor" in n or "compile" in n.split(".")}


def test_the_study_prints_findings_and_fails_where_there_are_too_many(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sql = "CREATE TABLE part (id INT PRIMARY KEY, name VARCHAR(40), created_at DATETIME, updated_at DATETIME);"
    (tmp_path / "parts.sql").write_text(sql, encoding="utf-8")
    assert main([str(tmp_path), "--all"]) == 0
    out = capsys.readouterr().out
    assert "parts.sql: 1 worlds" in out
    assert "wrong_order     0 of 1 pairs of dates" in out
    (tmp_path / "broken.sql").write_text("nothing to see", encoding="utf-8")
    assert main([str(tmp_path), "--only", "broken", "--json"]) == 1
