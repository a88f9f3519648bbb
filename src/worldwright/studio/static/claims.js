// Claims and their evidence find each other: pointing at one shows the other.

const marks = [...document.querySelectorAll("mark[data-claims]")];
const cards = [...document.querySelectorAll("[data-claim]")];
const ofClaim = (id) => marks.filter((mark) => mark.dataset.claims.split(" ").includes(id));

const show = (id, move) => {
  const near = ofClaim(id);
  for (const mark of marks) mark.classList.toggle("at", near.includes(mark));
  for (const card of cards) card.classList.toggle("at", card.dataset.claim === id);
  if (move === "evidence") near[0]?.scrollIntoView({ block: "nearest" });
  if (move === "card") document.getElementById(id)?.scrollIntoView({ block: "nearest" });
};

for (const card of cards) {
  card.addEventListener("pointerenter", () => show(card.dataset.claim, "evidence"));
  card.addEventListener("focusin", () => show(card.dataset.claim, "evidence"));
}
for (const mark of marks) {
  const first = mark.dataset.claims.split(" ")[0];
  mark.addEventListener("pointerenter", () => show(first, "card"));
  mark.addEventListener("focusin", () => show(first, "card"));
}
if (location.hash.length > 1) show(decodeURIComponent(location.hash.slice(1)), "evidence");
