"use strict";
const picture = document.getElementById("picture");
const details = document.getElementById("details");
const edges = [...picture.querySelectorAll(".edge")];
const view = picture.viewBox.baseVal;

function tell(thing) {
  details.textContent = thing ? thing.querySelector("title").textContent : "";
}

// The nodes upstream and downstream of a node, and the node itself.
function reached(start) {
  const found = new Set([start.id]);
  for (const [from, to] of [["source", "target"], ["target", "source"]]) {
    const next = new Map();
    for (const edge of edges) {
      if (!next.has(edge.dataset[from])) next.set(edge.dataset[from], []);
      next.get(edge.dataset[from]).push(edge);
    }
    const seen = new Set([start.id]);
    for (const id of seen) {
      for (const edge of next.get(id) || []) {
        edge.classList.add("on");
        seen.add(edge.dataset[to]);
      }
    }
    for (const id of seen) found.add(id);
  }
  return found;
}

function choose(node) {
  for (const each of picture.querySelectorAll(".on")) each.classList.remove("on");
  picture.classList.toggle("chosen", Boolean(node));
  if (node) for (const id of reached(node)) document.getElementById(id).classList.add("on");
  tell(node);
}

// The number of units of the picture per pixel of the screen.
function scale() {
  return Math.max(view.width / picture.clientWidth, view.height / picture.clientHeight);
}

let moved = false;
picture.addEventListener("pointerdown", () => { moved = false; });
picture.addEventListener("pointermove", (event) => {
  if (!(event.buttons & 1)) return;
  if (Math.abs(event.movementX) + Math.abs(event.movementY) > 1) moved = true;
  view.x -= event.movementX * scale();
  view.y -= event.movementY * scale();
});
picture.addEventListener("wheel", (event) => {
  event.preventDefault();
  const place = new DOMPoint(event.clientX, event.clientY)
    .matrixTransform(picture.getScreenCTM().inverse());
  const factor = Math.exp(Math.sign(event.deltaY) * 0.15);
  view.x = place.x - (place.x - view.x) * factor;
  view.y = place.y - (place.y - view.y) * factor;
  view.width *= factor;
  view.height *= factor;
}, { passive: false });
picture.addEventListener("click", (event) => {
  if (moved) return;
  const edge = event.target.closest(".edge");
  if (edge) tell(edge); else choose(event.target.closest(".node"));
});
picture.addEventListener("keydown", (event) => {
  if (event.key === "Enter") choose(event.target.closest(".node"));
  if (event.key === "Escape") choose(null);
});
choose(picture.querySelector(".root"));
