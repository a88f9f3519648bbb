// Scrub through an episode: the slider, ← and →, and the cells of the assertions all go to a step.

const bar = document.querySelector("[data-scrub]");
if (bar) {
  const most = Number(bar.dataset.scrub);
  const slider = bar.querySelector("input");
  const output = bar.querySelector("output");
  const state = bar.querySelector("[data-state]");
  const cells = [...document.querySelectorAll("svg [data-step]")];
  let at = 0;

  const go = (step, scroll = true) => {
    at = Math.max(0, Math.min(most, step));
    slider.value = at;
    output.textContent = `step ${at} of ${most}`;
    const address = new URL(state.href);
    address.searchParams.set("step", at);
    state.href = address.pathname + address.search;
    for (const one of document.querySelectorAll(".step[data-step]")) one.classList.toggle("at", Number(one.dataset.step) === at);
    for (const cell of cells) cell.classList.toggle("at", Number(cell.dataset.step) === at);
    document.querySelector(".steps").classList.toggle("scrubbing", true);
    const strip = document.querySelector(".verdict-strip");
    const covered = getComputedStyle(strip).position === "sticky" ? strip.offsetHeight + document.querySelector(".head").offsetHeight : 0;
    document.documentElement.style.scrollPaddingTop = `${covered + 16}px`;
    if (scroll) document.getElementById(`step-${at}`)?.scrollIntoView({ block: "start" });
    history.replaceState(null, "", `#step-${at}`);
  };

  slider.addEventListener("input", () => go(Number(slider.value)));
  bar.addEventListener("click", (event) => {
    const by = event.target.closest("[data-to]");
    if (by) go(at + Number(by.dataset.to));
  });
  for (const cell of cells) {
    cell.addEventListener("click", (event) => {
      event.preventDefault();
      go(Number(cell.dataset.step));
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by) {
      event.preventDefault();
      go(at + by);
    }
  });
  document.querySelector(".steps").addEventListener("click", (event) => {
    const step = event.target.closest(".step[data-step]");
    if (step && !event.target.closest("a, button, summary, input")) go(Number(step.dataset.step), false);
  });
  const asked = /^#step-(\d+)$/.exec(location.hash);
  if (asked) go(Number(asked[1]));
}
