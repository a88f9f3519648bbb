"""Episodes: steps with what they changed and decided, compared, filtered, gone on with by hand."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.studio.house import House, Running, Visitor, strip

from worldwright.core.errors import UsageError
from worldwright.english.nouns import count_noun
from worldwright.rollout.read import open_run
from worldwright.rollout.records import Episode, Limits
from worldwright.rollout.stepwise import find_episode, play_until, step_through
from worldwright.store.open import open_world
from worldwright.store.store import Store


@pytest.fixture(scope="module")
def episodes(house: House) -> list[Episode]:
    return list(open_run(house.here / "runs" / "planner").episodes())


@pytest.fixture(scope="module")
def run_key(visitor: Visitor) -> str:
    page = visitor.page("/runs")
    found: list[tuple[str, str]] = re.findall(r'href="/runs/([0-9a-f]{12})">[^<]*</a> <span class="faint">(\w+)', page)
    return next(key for key, name in found if name == "planner")


def test_steps_end_with_the_verdict_of_the_record(house: House, episodes: list[Episode]) -> None:
    world = open_world(Store(house.home).pack_path(house.digest))
    for episode in episodes[:6]:
        played = step_through(world, episode, Limits())
        assert played.differs == ()
        assert {a["name"]: a["ok"] for a in episode.verdict["assertions"]} == played.steps[-1].held
        changed = [step["diff"] for step in episode.steps if "diff" in step]
        assert json.loads(json.dumps([s.diff for s in played.steps if s.diff])) == json.loads(json.dumps(changed))
        decided = played.find_decided()
        for name, at in decided.items():
            states = [{a.name: a.ok for a in played.before.assertions}, *(s.held for s in played.steps)]
            assert all(state[name] == states[-1][name] for state in states[at:])
            assert at == 0 or states[at - 1][name] != states[-1][name]


def test_a_record_that_was_changed_is_noticed(house: House, episodes: list[Episode]) -> None:
    world = open_world(Store(house.home).pack_path(house.digest))
    episode = next(e for e in episodes if len(e.steps) > 2)
    messages = [dict(m) for m in episode.messages]
    at = [n for n, m in enumerate(messages) if m["role"] == "tool"][1]
    messages[at]["content"] = '{"ok": true, "data": "something else"}'
    from dataclasses import replace

    assert step_through(world, replace(episode, messages=tuple(messages)), Limits()).differs == (2,)


def test_the_first_so_many_steps_are_played(house: House, episodes: list[Episode]) -> None:
    world = open_world(Store(house.home).pack_path(house.digest))
    episode = next(e for e in episodes if len(e.steps) > 3)
    env = play_until(world, episode, Limits(), 3)
    assert (env.calls, env.done) == (3, False)
    env.close()
    other = play_until(world, episode, Limits(), 0)
    assert other.calls == 0
    other.close()


def test_an_episode_is_found_by_how_its_id_begins(house: House, episodes: list[Episode]) -> None:
    run = open_run(house.here / "runs" / "planner")
    assert find_episode(run, episodes[0].id[:12]).id == episodes[0].id
    for start in ("", "zz"):
        with pytest.raises(UsageError, match="has no episode"):
            find_episode(run, start)


def test_an_episode_shows_what_was_decided_where(visitor: Visitor, run_key: str, episodes: list[Episode]) -> None:
    episode = next(e for e in episodes if e.status == "pass")
    page = visitor.page(f"/runs/{run_key}/episodes/{episode.id}")
    said = strip(page)
    for assertion in episode.verdict["assertions"]:
        assert assertion["name"] in said
    assert 'class="held decided"' in page
    assert "now holds:" in said
    assert f'data-scrub="{len(episode.steps) + 1}"' in page
    assert episode.messages[0]["content"].split("\n")[0] in said


def test_the_state_is_the_sum_of_its_steps(visitor: Visitor, run_key: str, episodes: list[Episode]) -> None:
    episode = next(e for e in episodes if e.status == "pass" and any("diff" in s for s in e.steps))
    root = f"/runs/{run_key}/episodes/{episode.id}/state"
    assert "Nothing has changed." in visitor.words(root, step="0")
    said = visitor.words(root, step="999")
    for step in episode.steps:
        for table in step.get("diff", {}):
            assert table in said


def test_episodes_are_chosen_by_what_they_have_in_common(
    visitor: Visitor, run_key: str, episodes: list[Episode]
) -> None:
    root = f"/runs/{run_key}/episodes"
    passed = [e for e in episodes if e.status == "pass"]
    assert f"{count_noun(len(passed), 'episode')} of {len(episodes)}" in visitor.words(root, status="pass")
    family = episodes[0].family
    wanted = [e for e in episodes if e.family == family and e.status == "fail"]
    assert f"{count_noun(len(wanted), 'episode')} of {len(episodes)}" in visitor.words(
        root, family=family, status="fail"
    )
    assert " 0 episodes of" in visitor.words(root, assertion="nothing of the kind")
    knob = f"writes:{episodes[0].features['writes']}"
    assert " 0 episodes of" not in visitor.words(root, knob=knob)


def test_numbers_of_a_report_lead_to_their_episodes(visitor: Visitor, run_key: str, episodes: list[Episode]) -> None:
    page = visitor.page(f"/runs/{run_key}")
    links = set(re.findall(rf'href="(/runs/{run_key}/episodes\?[^"]+)"', page))
    assert len(links) > 10
    for link in sorted(links)[:12]:
        assert " 0 episodes of" not in visitor.words(link.replace("&amp;", "&"))
    report = visitor.get(f"/runs/{run_key}/report.html").text
    assert "<script" not in report
    assert "/runs/" not in report
    assert f"{sum(e.status == 'pass' for e in episodes)} of {len(episodes)} episodes passed" in strip(report)


def test_two_episodes_stand_side_by_side(visitor: Visitor, run_key: str, episodes: list[Episode]) -> None:
    one, other = episodes[0], episodes[1]
    said = visitor.words("/episodes/compare", one=f"{run_key}:{one.id}", other=f"{run_key}:{other.id}")
    assert one.task in said
    assert "Verdicts" in said
    assert visitor.get("/episodes/compare", one=f"{run_key}:{one.id}").status_code == 400


def test_runs_stand_side_by_side(visitor: Visitor) -> None:
    keys = re.findall(r'name="run" value="([0-9a-f]{12})"', visitor.page("/runs"))
    answer = visitor.client.get("/runs/compare", params=[("run", key) for key in keys[:2]])
    assert answer.status_code == 200
    assert "Differences" in answer.text


def test_one_goes_on_by_hand_from_any_step(
    studio: Running, visitor: Visitor, run_key: str, episodes: list[Episode]
) -> None:
    episode = next(e for e in episodes if len(e.steps) > 2)
    answer = visitor.post("/play", run=run_key, episode=episode.id, step="2")
    said = strip(answer.text)
    assert f"from step 2 of {episode.agent}" in said
    key = answer.url.path.rsplit("/", 1)[1]
    found = studio.studio.hands.find(key)
    assert [step.tool for step in found.steps] == [step["tool"] for step in episode.steps[:2]]
    studio.studio.hands.remove(key)


def test_a_run_whose_world_is_gone_is_shown_as_recorded(tmp_path: Path, house: House, episodes: list[Episode]) -> None:
    from tests.studio.house import running

    other = House(tmp_path / "empty", house.here, house.digest)
    with running(other) as found:
        visitor = found.visitor()
        key = next(
            k
            for k, n in re.findall(
                r'href="/runs/([0-9a-f]{12})">[^<]*</a> <span class="faint">(\w+)', visitor.page("/runs")
            )
            if n == "planner"
        )
        said = visitor.words(f"/runs/{key}/episodes/{episodes[0].id}")
        assert "cannot be played again" in said
        assert "Verdict" in said
        visitor.client.close()


def test_failures_are_two_clicks_from_their_episodes(visitor: Visitor) -> None:
    arena = re.search(r'href="(/arenas/[0-9a-f]{12})"', visitor.page("/arenas"))
    assert arena is not None
    classes = re.findall(r'href="(/arenas/[^"]*failures\?[^"]*kind=[^"]+)"', visitor.page(arena[1]))
    assert classes
    listed = visitor.page(classes[0].replace("&amp;", "&"))
    episode = re.search(r'href="(/runs/[0-9a-f]{12}/episodes/[0-9a-f]{20})(?:#step-\d+)?"', listed)
    assert episode is not None
    assert "Verdict" in visitor.words(episode[1])


def test_a_training_is_drawn_figure_by_figure(visitor: Visitor) -> None:
    key = re.search(r'href="(/trainings/[0-9a-f]{12})"', visitor.page("/trainings"))
    assert key is not None
    page = visitor.page(key[1])
    assert page.count("<svg") >= 4
    assert "loss: from 2 to 0.05 in 40 points" in page
    assert "52 steps in sft and grpo" in strip(page)
