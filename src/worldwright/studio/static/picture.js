// Pictures that one can explore: point at a box (or Tab to it) to see what it is linked with, filter, zoom and move.

function explore(frame) {
  const svg = frame.querySelector("svg");
  if (!svg) return;
  const tools = [...svg.querySelectorAll("[data-tool]")];
  const links = [...svg.querySelectorAll("[data-from]")];
  const whole = svg.getAttribute("viewBox").split(" ").map(Number);
  let box = [...whole];
  const show = () => svg.setAttribute("viewBox", box.map((n) => Math.round(n * 10) / 10).join(" "));

  const look = (name) => {
    svg.classList.toggle("looking", Boolean(name));
    const near = new Set([name]);
    for (const link of links) {
      const out = link.dataset.from === name;
      const into = link.dataset.to === name;
      link.classList.toggle("out", Boolean(name) && out);
      link.classList.toggle("in", Boolean(name) && into);
      if (out) near.add(link.dataset.to);
      if (into) near.add(link.dataset.from);
    }
    for (const tool of tools) tool.classList.toggle("near", near.has(tool.dataset.tool));
  };
  for (const tool of tools) {
    tool.addEventListener("pointerenter", () => look(tool.dataset.tool));
    tool.addEventListener("pointerleave", () => look(""));
    tool.addEventListener("focus", () => look(tool.dataset.tool));
    tool.addEventListener("blur", () => look(""));
  }

  const zoom = (factor, x = box[0] + box[2] / 2, y = box[1] + box[3] / 2) => {
    const size = Math.max(0.1, Math.min(1.4, (box[2] * factor) / whole[2]));
    const real = (size * whole[2]) / box[2];
    box = [x - (x - box[0]) * real, y - (y - box[1]) * real, box[2] * real, box[3] * real];
    show();
  };
  const fit = () => {
    box = [...whole];
    show();
  };
  const place = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return [point.x, point.y];
  };
  frame.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey && document.activeElement !== frame) return;
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.15 : 0.87, ...place(event));
  }, { passive: false });
  let from = null;
  let moved = false;
  svg.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    from = place(event);
    moved = false;
  });
  addEventListener("pointermove", (event) => {
    if (!from) return;
    const [x, y] = place(event);
    if (Math.hypot(x - from[0], y - from[1]) > 3) moved = true;
    if (!moved) return;
    svg.classList.add("dragged");
    box = [box[0] - (x - from[0]), box[1] - (y - from[1]), box[2], box[3]];
    show();
  });
  addEventListener("pointerup", () => {
    from = null;
    svg.classList.remove("dragged");
  });
  svg.addEventListener("click", (event) => moved && event.preventDefault(), true);
  svg.addEventListener("dragstart", (event) => event.preventDefault());
  const keys = {
    "+": () => zoom(0.8),
    "=": () => zoom(0.8),
    "-": () => zoom(1.25),
    0: fit,
    ArrowLeft: () => (box[0] -= box[2] / 10),
    ArrowRight: () => (box[0] += box[2] / 10),
    ArrowUp: () => (box[1] -= box[3] / 10),
    ArrowDown: () => (box[1] += box[3] / 10),
  };
  frame.addEventListener("keydown", (event) => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
    show();
  });

  const form = document.querySelector("[data-picture-tools]");
  if (!form) return;
  form.addEventListener("submit", (event) => event.preventDefault());
  const filter = () => {
    const said = new FormData(form);
    const word = (said.get("find") || "").toLowerCase().trim();
    svg.classList.toggle("every", said.has("lookups"));
    const shown = new Set();
    for (const tool of tools) {
      const fits =
        (!said.get("group") || tool.dataset.group === said.get("group")) &&
        (!said.get("system") || tool.dataset.system === said.get("system")) &&
        (!word || tool.dataset.tool.toLowerCase().includes(word));
      tool.classList.toggle("dim", !fits);
      if (fits) shown.add(tool.dataset.tool);
    }
    for (const link of links) link.classList.toggle("dim", !shown.has(link.dataset.from) && !shown.has(link.dataset.to));
  };
  form.addEventListener("input", filter);
  form.addEventListener("click", (event) => {
    const how = event.target.dataset.zoom;
    if (how === "in") zoom(0.8);
    if (how === "out") zoom(1.25);
    if (how === "fit") fit();
  });
  filter();
}

for (const frame of document.querySelectorAll("[data-picture]")) explore(frame);
