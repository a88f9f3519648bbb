"""The page of a run: whole, safe whatever stands in a run, the same each time, and nothing but itself."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rollout.made_runs import episode, run_of, write_run

from worldwright.core.errors import UsageError
from worldwright.rollout.read import open_run
from worldwright.rollout.report.charts import format_percent
from worldwright.rollout.report.examples import HEAD, TAIL, shorten_episode
from worldwright.rollout.report.markup import tag, text
from worldwright.rollout.report.page import render_page
from worldwright.rollout.report.summary import Summary, name_runs, summarise
from worldwright.rollout.stats import compute_rate

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</style></title></pre></svg><iframe src='https://evil.example'></iframe>",
    "]]><!-- \x00\x1b[31m\u202e\ud800 &amp;",
    "{{7*7}} ' onmouseover='x",
)
LOADING = re.compile(
    r"<(?:script|link|img|iframe|object|embed|base|form|use|image)\b|\s(?:src|on\w+)=|url\(|@import", re.IGNORECASE
)


def summary(folder: Path, **changes: object) -> Summary:
    found = {"a": ["pass", "fail"], "b": ["fail", "fail"], "c": ["pass", "error"]}
    other = run_of({"d": ["fail", "pass"]}, family="policy", domain="shop", world="w2", features={"calls": 9})
    return summarise(open_run(write_run(folder, [*run_of(found, **changes), *other])))


def parsed(html: str) -> ElementTree.Element:
    """The page as a tree: it is XML as well, so nothing in it can be misread."""
    return ElementTree.fromstring(html.removeprefix("<!DOCTYPE html>"))


def words(html: str) -> str:
    return " ".join("".join(parsed(html).itertext()).split())


def test_the_page_says_what_came_of_the_run(tmp_path: Path) -> None:
    found = summary(tmp_path / "run")
    said = words(render_page([found]))
    assert "tester on hotel and shop" in said
    assert "3 of 7 episodes passed" in said
    assert "1 of 8 episodes have no verdict" in said
    assert "the endpoint is away" in said
    assert "pass@2" in said
    assert "worldwright rollout --gym hotel --agent tester --attempts 2 --seed 7" in said
    assert "given the key" not in said


def test_an_agent_that_sees_keys_is_marked(tmp_path: Path) -> None:
    found = summarise(open_run(write_run(tmp_path / "run", [episode(sees_key=True)])))
    assert "tester is given the key of every task" in words(render_page([found]))


def test_the_page_is_whole(tmp_path: Path) -> None:
    html = render_page([summary(tmp_path / "run")])
    tree = parsed(html)
    assert not LOADING.search(html)
    assert "http" not in html.replace("http-equiv", "")
    assert {a.get("href", "#")[0] for a in tree.iter("a")} <= {"#"}
    ids = [e.get("id") for e in tree.iter() if e.get("id")]
    assert len(ids) == len(set(ids))


def test_every_chart_can_be_read_without_seeing_it(tmp_path: Path) -> None:
    tree = parsed(render_page([summary(tmp_path / "a"), summary(tmp_path / "b")]))
    charts = list(tree.iter("svg"))
    assert len(charts) > 10
    for chart in charts:
        title, said = chart.find("title"), chart.find("desc")
        assert title is not None
        assert said is not None
        assert title.text
        assert said.text
        assert chart.get("aria-labelledby") == f"{title.get('id')} {said.get('id')}"
    tables = [f for f in tree.iter("figure") if f.find("svg") is not None and f.find("figcaption") is None]
    assert all(f.find("details//table") is not None for f in tables)


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second = summary(tmp_path / "one" / "run"), summary(tmp_path / "two" / "run")
    assert render_page([first]) == render_page([second])


@pytest.mark.parametrize("hostile", HOSTILE)
def test_no_text_of_a_run_becomes_markup(tmp_path: Path, hostile: str) -> None:
    verdict = {
        "status": "fail",
        "assertions": [{"name": hostile, "ok": False, "expected": hostile, "found": [hostile]}],
    }
    said = ({"role": hostile, "content": hostile, "reasoning_content": hostile, "name": hostile, "tool_calls": [
        {"function": {"name": hostile, "arguments": hostile}}, hostile]},)  # fmt: skip
    everywhere = dict.fromkeys(
        ("id", "domain", "task", "family", "role", "agent", "agent_id", "outcome", "world"), hostile
    )
    bad = episode(
        "fail", **{**everywhere, "verdict": verdict, "messages": said, "features": {hostile: hostile, "calls": 1}}
    )
    away = episode("error", **{**everywhere, "problem": hostile})
    other = episode("pass", agent=hostile, agent_id=hostile, features={hostile: "x", "calls": 2})
    config: dict[str, Any] = {
        "gym": hostile,
        "agent": {"spec": hostile, "identity": {hostile: hostile}},
        "limits": {hostile: 1},
    }
    folder = write_run(tmp_path / "run", [bad, away, other], **config, worlds=[{"domain": hostile}])
    found = summarise(open_run(folder))
    for html in (render_page([found]), render_page([found, found])):
        tree = parsed(html)
        assert not {e.tag for e in tree.iter()} & {"script", "img", "iframe", "link", "object"}
        assert not [k for e in tree.iter() for k in e.attrib if k.startswith("on") or k in ("src", "style")]
        html.encode()
    plain = [p for p in re.split(r"[\x00-\x1f\u202e\ud800]", hostile) if p.strip()]
    assert all(p in "".join(parsed(render_page([found])).itertext()) for p in plain)


@given(st.text(st.characters(), max_size=40))
def test_any_text_stays_text(said: str) -> None:
    tree = ElementTree.fromstring(tag("p", said, title=said))
    assert "".join(tree.itertext()).replace("\n", " ").replace("\t", " ") == (tree.get("title") or "")
    assert len(tree) == 0
    assert text(text(said)) == text(said)


def test_several_runs_stand_side_by_side(tmp_path: Path) -> None:
    one = summarise(open_run(write_run(tmp_path / "one", run_of({f"t{n}": ["pass"] for n in range(30)}))))
    two = summarise(open_run(write_run(tmp_path / "two", run_of({f"t{n}": ["fail"] for n in range(30)}))))
    assert name_runs([one, two]) == ["tester (one)", "tester (two)"]
    assert name_runs([one, one]) == ["tester (one) 1", "tester (one) 2"]
    said = words(render_page([one, two]))
    assert "2 runs side by side" in said
    assert "-100.0 points" in said


def test_summaries_count_what_fails(tmp_path: Path) -> None:
    found = summary(tmp_path / "run")
    assert found.rate == compute_rate(found.rows)
    assert [(f.name, f.episodes, f.tasks) for f in found.failing] == [("booked", 4, 3)]
    assert [(p.says, p.episodes, p.first) for p in found.problems] == [("the endpoint is away", 1, "c-2")]
    assert {g.name: g.rate.judged for g in found.outcomes} == {"submitted": 7, "error": 0}
    assert found.cells["shop", "policy"].passed == 1
    assert ("shop", "walk") not in found.cells
    assert found.shares == {"agent": 0.5, "tools": 0.25, "verifier": 0.125, "rest": 0.125}
    assert {e.status for e in found.examples} == {"pass", "fail"}
    assert found.group_by("calls").trend == "level"


def test_groupings_have_to_exist(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="did you mean `calls`"):
        summary(tmp_path / "run").group_by("call")


def test_runs_that_cannot_be_reported_say_why(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no run"):
        open_run(tmp_path)
    with pytest.raises(UsageError, match="has no episodes"):
        summarise(open_run(write_run(tmp_path / "empty", [])))
    with pytest.raises(UsageError, match="has not ended"):
        summarise(open_run(write_run(tmp_path / "going", [episode()], ended=False)))
    unfinished = write_run(tmp_path / "started", [])
    (unfinished / "trajectories.jsonl").unlink()
    with pytest.raises(UsageError, match="has not ended"):
        summarise(open_run(unfinished))
    with pytest.raises(UsageError, match="2 agents"):
        summarise(open_run(write_run(tmp_path / "mixed", [episode(), episode(agent="other")])))


def test_a_run_without_verdicts_is_reported(tmp_path: Path) -> None:
    found = summarise(open_run(write_run(tmp_path / "run", [episode("error"), episode("error", task="b")])))
    assert "nothing judged" in words(render_page([found]))
    parsed(render_page([found, found]))


def test_fewer_episodes_than_planned_are_told(tmp_path: Path) -> None:
    found = summarise(open_run(write_run(tmp_path / "run", [episode()], planned=5)))
    assert "The plan has 5 episodes, the run 1." in words(render_page([found]))


def test_long_episodes_are_cut() -> None:
    many = tuple({"role": "user", "content": f"{n} " + "x" * 5000} for n in range(40))
    made = shorten_episode(episode(messages=many))
    assert (len(made.said), made.left_out) == (HEAD + TAIL, 40 - HEAD - TAIL)
    assert made.said[-1].text.startswith("39 ")
    assert all(len(s.text) < 1000 for s in made.said)


def test_rates_are_not_rounded_to_certainty() -> None:
    assert [format_percent(v) for v in (None, 0, 0.001, 0.5, 0.999, 1)] == ["–", "0%", "<1%", "50%", ">99%", "100%"]
