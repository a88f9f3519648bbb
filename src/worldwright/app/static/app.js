// What makes the pages pleasant. Everything works without it: rows and look-ups are then pages of their own.
"use strict";

// One click sends a form once.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("[data-once]") || event.submitter?.name === "~go") return;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = "yes";
});
addEventListener("pageshow", () => document.querySelectorAll("[data-sent]").forEach((form) => delete form.dataset.sent));

// Rows of lists.
function renumber(item, list, from, to) {
  const before = `${list}.${from}`;
  const rename = (text) => (text.startsWith(before) ? `${list}.${to}${text.slice(before.length)}` : text);
  const id = (text) => text.split(" ").map((one) => `${one}-${to}`).join(" ");
  for (const part of item.querySelectorAll("[name]")) {
    part.name = part.name.startsWith("~blank.") ? `~blank.${rename(part.name.slice(7))}` : rename(part.name);
    if (part.name === "~go") {
      const [what, ...rest] = part.value.split(":");
      part.value = [what, rename(rest[0]), ...rest.slice(1)].join(":");
    } else if (part.type === "checkbox") {
      part.checked = false;
    } else {
      part.value = part.tagName === "SELECT" ? part.querySelector("[selected]")?.value ?? part.options[0].value : "";
    }
    part.removeAttribute("aria-invalid");
  }
  for (const name of ["id", "for", "list", "aria-describedby", "data-look-up"])
    for (const part of item.querySelectorAll(`[${name}]`)) part.setAttribute(name, id(part.getAttribute(name)));
  item.querySelectorAll(".wrong").forEach((part) => part.remove());
}

// Rows are called by their place, so that whoever hears them knows which one is removed.
function relabel(list) {
  const label = list.querySelector("legend").firstChild.textContent.trim();
  [...list.children].filter((child) => child.matches(".item")).forEach((item, at) => {
    item.setAttribute("aria-label", `${label} ${at + 1}`);
    item.querySelector(":scope > [data-remove] .sr").textContent = ` ${label} ${at + 1}`;
  });
}

function addRow(button) {
  const list = button.closest("fieldset.list");
  const items = [...list.children].filter((child) => child.matches(".item"));
  if (!items.length) return false;
  const name = button.value.split(":")[1];
  const numbers = items.map((item) => Number(item.querySelector("[data-remove]").value.split(".").pop()));
  const item = items.at(-1).cloneNode(true);
  renumber(item, name, numbers.at(-1), Math.max(...numbers) + 1);
  items.at(-1).after(item);
  relabel(list);
  item.querySelector("input, select, textarea").focus();
  return true;
}

function removeRow(button) {
  const item = button.closest(".item");
  const items = [...item.parentElement.children].filter((child) => child.matches(".item"));
  if (items.length < 2) return false;
  const next = items[items.indexOf(item) + 1] ?? items[items.indexOf(item) - 1];
  const list = item.parentElement;
  item.remove();
  relabel(list);
  next.querySelector("input, select, textarea, button").focus();
  return true;
}

// The dialog of a look-up: the pages of a search, each one call, as they are without it.
async function show(dialog, field, url, options) {
  const response = await fetch(url, options);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const main = page.querySelector("main");
  const close = document.createElement("button");
  close.type = "button";
  close.className = "close";
  close.textContent = "Close";
  close.addEventListener("click", () => dialog.close());
  main.querySelectorAll(".crumbs, .notice:not(.bad)").forEach((part) => part.remove());
  main.querySelectorAll("[id]").forEach((part) => { part.id = `d-${part.id}`; });
  main.querySelectorAll("[for]").forEach((part) => part.setAttribute("for", `d-${part.getAttribute("for")}`));
  dialog.replaceChildren(close, ...main.children);
  dialog.setAttribute("aria-label", main.querySelector("h1")?.textContent ?? page.title);
  dialog.dataset.url = response.url;
  const first = dialog.querySelector("form input[type=text]") ?? close;
  first.focus();
}

function lookUp(button) {
  const field = document.getElementById(button.dataset.lookUp);
  const form = button.form;
  const dialog = document.createElement("dialog");
  document.body.append(dialog);
  dialog.addEventListener("close", () => { dialog.remove(); field.focus(); });
  dialog.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link) return;
    event.preventDefault();
    if (link.dataset.choose !== undefined) {
      field.value = link.dataset.choose;
      dialog.close();
      return;
    }
    show(dialog, field, new URL(link.getAttribute("href"), dialog.dataset.url));
  });
  dialog.addEventListener("submit", (event) => {
    event.preventDefault();
    if (event.submitter?.name === "~go") return;
    const url = new URL(event.target.getAttribute("action"), dialog.dataset.url);
    url.search = new URLSearchParams(new FormData(event.target)).toString();
    show(dialog, field, url);
  });
  const sent = new URLSearchParams(new FormData(form));
  sent.set(button.name, button.value);
  dialog.showModal();
  show(dialog, field, button.formAction, { method: "POST", body: sent });
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button && !button.closest("dialog")) {
    if (button.dataset.lookUp !== undefined) {
      event.preventDefault();
      lookUp(button);
    } else if ((button.dataset.add !== undefined && addRow(button)) || (button.dataset.remove !== undefined && removeRow(button))) {
      event.preventDefault();
    }
  }
  for (const open of document.querySelectorAll("details.menu[open], .nav details[open]"))
    if (!open.contains(event.target)) open.open = false;
});

// Keys: `/` goes to the search of a page, Escape closes menus.
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape")
    document.querySelectorAll("details.menu[open], .nav details[open]").forEach((open) => {
      open.open = false;
      open.querySelector("summary").focus();
    });
  const writing = event.target.closest("input, textarea, select, dialog");
  if (event.key === "/" && !writing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    const field = document.querySelector("main form[role=search] input, main form input:not([type=hidden])");
    if (field) {
      event.preventDefault();
      field.focus();
    }
  }
});
