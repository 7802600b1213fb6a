"use strict";
const rounds = [...document.querySelectorAll("details")];

function reach() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  document.body.classList.remove("only");
  target.scrollIntoView();
  (target.querySelector("summary") || target).focus({ preventScroll: true });
}

for (const bar of document.querySelectorAll(".tools")) {
  bar.hidden = false;
  bar.addEventListener("click", (event) => {
    const what = event.target.dataset.do;
    if (what === "open" || what === "close") for (const one of rounds) one.open = what === "open";
    if (what === "notable") event.target.setAttribute("aria-pressed", document.body.classList.toggle("only"));
  });
}

let closed = [];
addEventListener("beforeprint", () => {
  closed = rounds.filter((one) => !one.open);
  for (const one of closed) one.open = true;
});
addEventListener("afterprint", () => {
  for (const one of closed) one.open = false;
});
addEventListener("hashchange", reach);
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  if (link && link.getAttribute("href") === location.hash) reach();
});
reach();
