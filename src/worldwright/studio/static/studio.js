// Everything that all pages have: keys, tables, live parts, copying, light and dark. Pages can be read without any of it.
import { startKeys } from "./keys.js";
import { startLive } from "./live.js";
import { startTables } from "./tables.js";

const ACTS = {
  theme() {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    document.cookie = `worldwright_theme=${root.dataset.theme}; path=/; max-age=31536000; samesite=strict`;
  },
  help() {
    document.getElementById("help").showModal();
  },
};

document.addEventListener("click", async (event) => {
  const act = event.target.closest("[data-act]");
  if (act) ACTS[act.dataset.act]?.();
  const copy = event.target.closest("[data-copy]");
  if (copy) {
    try {
      await navigator.clipboard.writeText(copy.dataset.copy);
      copy.textContent = "copied";
    } catch {
      copy.textContent = "cannot copy here";
    }
  }
  if (event.target.id === "help") event.target.close();
});

// A form that is sent once is not sent twice.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post") return;
  if (form.dataset.sent) {
    event.preventDefault();
    return;
  }
  if (form.dataset.sure && !confirm(form.dataset.sure)) {
    event.preventDefault();
    return;
  }
  form.dataset.sent = "yes";
});
addEventListener("pageshow", () => document.querySelectorAll("form[data-sent]").forEach((form) => delete form.dataset.sent));

startTables();
startKeys(ACTS);
startLive();
