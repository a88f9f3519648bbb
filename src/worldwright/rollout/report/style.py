"""The style of the page: quiet, the same on screen and on paper, light or dark as the reader has it."""

from __future__ import annotations

_LIGHT = """
  --paper: #fdfdfc; --ink: #1f2328; --quiet: #646b73; --rule: #e3e4e2; --soft: #f4f4f1; --accent: #33658a; --heat: #33658a;
  --good: #2f7d4f; --bad: #a8442f; --warn: #8a5a00; --warn-soft: #fbf3df;
  --c0: #33658a; --c1: #c0662b; --c2: #3f8461; --c3: #8b5a9f; --c4: #a08418; --c5: #6b7280;
"""
_DARK = """
  --paper: #16191d; --ink: #e6e7e5; --quiet: #9aa1a9; --rule: #30353b; --soft: #1e2227; --accent: #86b3d9; --heat: #4a80ad;
  --good: #7cc79a; --bad: #e58f7a; --warn: #e5bd6a; --warn-soft: #2b2618;
  --c0: #86b3d9; --c1: #e59c63; --c2: #7cc79a; --c3: #c39ad4; --c4: #d8bd58; --c5: #a3abb5;
"""
_REST = """
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); }
body { font: 16px/1.55 system-ui, "Segoe UI", "Helvetica Neue", sans-serif; }
main { max-width: 1008px; margin: 0 auto; padding: 40px 24px 80px; }
h1 { font-size: 30px; line-height: 1.2; margin: 0 0 4px; letter-spacing: -0.01em; overflow-wrap: anywhere; }
h2 { font-size: 21px; margin: 52px 0 4px; padding-top: 14px; border-top: 1px solid var(--rule); overflow-wrap: anywhere; }
h2.run { font-size: 25px; margin-top: 76px; border-top: 3px solid var(--ink); }
h3 { font-size: 16px; margin: 30px 0 6px; }
p { margin: 4px 0 12px; max-width: 76ch; }
.lead, .says, figcaption, .quiet { color: var(--quiet); }
.lead { font-size: 17px; overflow-wrap: anywhere; }
.says { font-size: 14.5px; }
a { color: var(--accent); }
code, .mono { font: 0.86em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.remark { background: var(--warn-soft); border-left: 3px solid var(--warn); padding: 10px 14px; margin: 14px 0; max-width: none; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 1px;
  margin: 26px 0 8px; background: var(--rule); border: 1px solid var(--rule); }
.tile { background: var(--paper); padding: 14px 16px 12px; }
.tile b { display: block; font-size: 27px; line-height: 1.15; font-weight: 600; font-variant-numeric: tabular-nums; }
.tile span { display: block; font-size: 13px; color: var(--quiet); }
.tile .of { color: var(--ink); font-size: 14px; margin-bottom: 2px; }
figure { margin: 14px 0 6px; }
svg { display: block; width: 100%; height: auto; font: 13px system-ui, "Segoe UI", "Helvetica Neue", sans-serif; }
svg text { fill: var(--ink); font-variant-numeric: tabular-nums; }
svg .quiet, svg .tick, svg .tiny { fill: var(--quiet); }
svg .tick { font-size: 12px; }
svg .tiny { font-size: 10.5px; }
svg .value { font-weight: 600; }
svg .grid { stroke: var(--rule); stroke-width: 1; }
svg .bar { fill: var(--accent); fill-opacity: 0.55; }
svg .cell { fill: var(--heat); }
svg .cell ~ .tiny { fill: var(--ink); }
svg .whisker { stroke: var(--ink); stroke-width: 1.3; fill: none; stroke-opacity: 0.75; }
svg .line { fill: none; stroke: var(--c); stroke-width: 2.2; stroke-linejoin: round; }
svg .thin { stroke-width: 1.4; stroke-opacity: 0.6; }
svg .band { fill: var(--c); fill-opacity: 0.14; }
svg .dot { fill: var(--c); stroke: var(--paper); stroke-width: 1.2; }
svg .piece { fill: var(--c); fill-opacity: 0.8; }
svg .touch { fill: transparent; }
svg .c0, .c0 { --c: var(--c0); } svg .c1, .c1 { --c: var(--c1); } svg .c2, .c2 { --c: var(--c2); }
svg .c3, .c3 { --c: var(--c3); } svg .c4, .c4 { --c: var(--c4); } svg .c5, .c5 { --c: var(--c5); }
svg g[class^="c"] .named { fill: var(--c); }
svg g[class^="c"] .whisker { stroke: var(--c); }
svg g[class^="c"] .value { fill: var(--c); }
.panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(200px, 1fr)); gap: 20px 22px; margin: 18px 0; }
.panels svg { max-width: 300px; }
.panels figure { margin: 0; display: flex; flex-direction: column; justify-content: space-between; }
.panels figcaption { font-size: 13px; line-height: 1.35; padding-bottom: 4px; }
.panels figcaption b { color: var(--ink); font-size: 14.5px; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(400px, 1fr)); gap: 8px 28px; }
.falls { color: var(--good); } .rises { color: var(--bad); } .pass { color: var(--good); } .fail { color: var(--bad); }
table { border-collapse: collapse; font-size: 14px; margin: 8px 0 14px; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
th, td { text-align: left; padding: 4px 18px 4px 0; border-bottom: 1px solid var(--rule); }
th, td { vertical-align: top; overflow-wrap: break-word; }
th { font-weight: 500; color: var(--quiet); white-space: nowrap; overflow-wrap: normal; }
td.number, th.number { text-align: right; white-space: nowrap; }
td { min-width: 3em; }
details { margin: 4px 0 10px; }
summary { cursor: pointer; color: var(--quiet); font-size: 14px; }
summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.example { border: 1px solid var(--rule); padding: 8px 14px; margin: 8px 0; }
.example summary { color: var(--ink); font-size: 15px; overflow-wrap: anywhere; }
.message { margin: 10px 0 0; padding-left: 12px; border-left: 2px solid var(--rule); font-size: 14px; }
.message.agent { border-color: var(--accent); }
.message .who { font-size: 12.5px; color: var(--quiet); }
.message pre { margin: 2px 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.message pre { font: 12.5px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
.message pre.said { font: inherit; }
.message pre.thought { font: inherit; font-style: italic; color: var(--quiet); }
@media screen and (max-width: 700px) {
  figure { overflow-x: auto; }
  main > figure > svg, .pair svg { min-width: 640px; }
}
@media print {
  main { max-width: none; padding: 0; }
  body { font-size: 12px; }
  figure, .tile, .message, tr { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  details:not([open], .example)::details-content { content-visibility: visible; block-size: auto; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""
STYLE = "\n".join(
    (
        f":root {{ color-scheme: light dark; {_LIGHT} }}",
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {_DARK} }} }}",
        _REST,
    )
)
