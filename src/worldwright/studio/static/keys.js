// Keys: / search, f filter, j and k along a list, Enter opens, [ and ] through the tabs, u up, t theme, ? help.

const typing = (target) => target.closest?.("input, textarea, select, [contenteditable]");
let at = -1;

const lines = () =>
  [...document.querySelectorAll("main tbody tr, main .lines > *")].filter((line) => !line.hidden && line.querySelector("a, button"));

function pick(step) {
  const all = lines();
  if (!all.length) return;
  all[at]?.classList.remove("picked");
  const before = all.findIndex((line) => line.classList.contains("picked"));
  at = Math.max(0, Math.min(all.length - 1, (before >= 0 ? before : at) + step));
  for (const line of all) line.classList.remove("picked");
  all[at].classList.add("picked");
  all[at].scrollIntoView({ block: "nearest" });
}

function tab(step) {
  const all = [...document.querySelectorAll(".tabs a")];
  const here = all.findIndex((one) => one.hasAttribute("aria-current"));
  all[here + step]?.click();
}

export function startKeys(acts) {
  const does = {
    "/": () => document.getElementById("search").focus(),
    f: () => document.querySelector("input.filter")?.focus(),
    j: () => pick(1),
    k: () => pick(-1),
    Enter: () => lines()[at]?.querySelector("a, button")?.click(),
    "[": () => tab(-1),
    "]": () => tab(1),
    u: () => [...document.querySelectorAll(".crumbs a")].at(-1)?.click(),
    t: acts.theme,
    "?": acts.help,
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.key === "Escape" && typing(event.target)) {
      event.target.blur();
      return;
    }
    if (typing(event.target) || (event.key === "Enter" && event.target.closest("a, button, summary"))) return;
    const act = does[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  });
}
