// Parts of a page that follow what goes on: the server says that something changed, and the page asks for itself again and
// puts in the parts that are others. What somebody is typing in, has opened or points at stays as it is.
import { startTables } from "./tables.js";

let asking = false;
let again = false;

async function refresh() {
  if (asking) {
    again = true;
    return;
  }
  asking = true;
  try {
    const answer = await fetch(location.href, { headers: { accept: "text/html" } });
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of document.querySelectorAll("[data-part]")) {
      const other = fresh.getElementById(part.id);
      if (!other || other.innerHTML === part.dataset.was || part.contains(document.activeElement)) continue;
      const open = [...part.querySelectorAll("details[open]")].map((one) => one.id).filter(Boolean);
      part.dataset.was = other.innerHTML;
      part.replaceChildren(...[...other.childNodes].map((node) => document.importNode(node, true)));
      for (const id of open) document.getElementById(id)?.setAttribute("open", "");
    }
    startTables();
  } finally {
    asking = false;
    if (again) {
      again = false;
      setTimeout(refresh, 200);
    }
  }
}

const spell = (seconds) => (seconds < 90 ? `${Math.round(seconds)} s` : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`);
setInterval(() => {
  for (const clock of document.querySelectorAll("[data-since]")) clock.textContent = spell(Date.now() / 1000 - Number(clock.dataset.since));
}, 1000);

export function startLive() {
  const address = document.body.dataset.live;
  if (!address) return;
  let source = null;
  const listen = () => {
    if (source || document.hidden) return;
    source = new EventSource(address);
    source.addEventListener("changed", refresh);
    source.addEventListener("ended", () => {
      source.close();
      source = { close() {} };
      refresh();
    });
  };
  document.addEventListener("visibilitychange", () => {
    if (document.hidden && source) {
      source.close();
      source = null;
    } else if (!document.hidden) {
      listen();
      refresh();
    }
  });
  listen();
}
