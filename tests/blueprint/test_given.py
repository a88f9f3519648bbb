"""Rows that came with the evidence stand in a section of their own, as JSON Lines: they say what `seeds` say."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.blueprint.test_seeds import opening, text

from worldwright.blueprint.given import MAX_GIVEN_ROWS, read_rows, split_given, write_rows
from worldwright.blueprint.load import canonical_yaml, load_text
from worldwright.core.errors import BlueprintError

ROWS: dict[str, list[dict[str, Any]]] = {
    "keeper": [{"name": "Ada", "pet": 2}, {"name": "Bo", "boss": 1}],
    "animal": [
        {
            "keeper": 2,
            "name": "007",
            "born": "2019-02-28",
            "weight": 7.25,
            "price": 80.5,
            "shy": True,
            "status": "gone",
        },
        {"keeper": 1, "name": "Ünï: 'x' | {y}", "born": None, "legs": 3},
    ],
}


def with_given(rows: dict[str, str]) -> str:
    listed = "".join(
        f"  {name}: |\n" + "".join(f"    {line}\n" for line in said.splitlines()) for name, said in rows.items()
    )
    return f"{text()}given:\n{listed}"


WHOLE = with_given({name: write_rows(rows) for name, rows in ROWS.items()})


def test_they_say_what_seeds_say() -> None:
    seeds = {name: json.dumps(rows) for name, rows in ROWS.items()}
    assert opening(WHOLE, 7) == opening(text(seeds["keeper"], seeds["animal"]), 7)


def test_they_come_after_the_seeds() -> None:
    found = load_text(with_given({"keeper": '{"name": "Cy"}'}).replace("seeds: []", "seeds: [{name: Di}]", 1))
    assert [row["name"] for row in found.schema.entities["keeper"].seeds] == ["Di", "Cy"]


def test_a_blueprint_that_is_written_again_is_the_same() -> None:
    checked = load_text(WHOLE)
    again = load_text(canonical_yaml(checked.blueprint))
    assert (again.digest, again.schema.entities["animal"].seeds) == (
        checked.digest,
        checked.schema.entities["animal"].seeds,
    )


def test_rows_are_read_as_they_were_written() -> None:
    assert read_rows(write_rows(ROWS["animal"])) == ROWS["animal"]
    assert read_rows("") == []


def test_the_section_can_stand_in_a_file_of_its_own() -> None:
    """Also when it is written by the program itself, with lines of any length."""
    for whole in (WHOLE, canonical_yaml(load_text(WHOLE).blueprint)):
        rest, section = split_given(whole)
        assert rest + section == whole
        assert section.startswith("given:\n")
        assert "given" not in load_text(rest).blueprint.model_fields_set
    assert split_given(text()) == (text(), "")


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ({"keepers": "{}"}, "no entity is called `keepers`"),
        ({"keeper": '{"name": "Ada"}\n{"name": '}, "row 2 is not JSON"),
        ({"keeper": "[1]"}, "row 1 is no map of fields"),
        ({"keeper": '{"name": "a\\u0000b"}'}, "row 1 holds control characters"),
        ({"animal": '{"weight": 1e999}'}, "row 1 is not JSON: 1e999 is no value"),
        ({"animal": '{"weight": NaN}'}, "row 1 is not JSON: NaN is no value"),
        ({"animal": '{"keeper": 9}'}, "9 is no row of `keeper`"),
        ({"animal": '{"wight": 9}'}, "has no field `wight`"),
        ({"keeper": "{}\n" * (MAX_GIVEN_ROWS + 1)}, f"at most {MAX_GIVEN_ROWS:,}"),
    ],
)
def test_what_is_wrong_is_told(rows: dict[str, str], says: str) -> None:
    with pytest.raises(BlueprintError) as raised:
        load_text(with_given(rows))
    assert any(says in f"{found.message} {found.hint}" for found in raised.value.findings)
    assert all(found.path.startswith("given") for found in raised.value.findings)
