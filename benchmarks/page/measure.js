// Runs in each page before its scripts: what the benchmark asks the page for.
window.firstPaint = new Promise((resolve) => {
  new PerformanceObserver((list) => {
    for (const { name, startTime } of list.getEntries()) if (name === "first-contentful-paint") resolve(startTime);
  }).observe({ type: "paint", buffered: true });
});

/** Resolves after the browser has painted what is in the document now. */
window.painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

/** Resolves to the time at which an element is painted that matches a selector. */
window.whenPainted = (selector) => new Promise((resolve, reject) => {
  const check = () => {
    if (document.querySelector(selector)) painted().then(() => resolve(performance.now()));
    else if (performance.now() > 60_000) reject(new Error(`Nothing matches ${selector} after 60 s.`));
    else requestAnimationFrame(check);
  };
  check();
});

/** Resolves to the milliseconds from the next event of a type until an element with a new text is painted. */
window.startTimer = (type, selector, wanted) => {
  const textOf = () => document.querySelector(selector)?.textContent ?? "";
  window.timer = new Promise((resolve, reject) => addEventListener(type, ({ timeStamp }) => {
    const before = textOf();
    setTimeout(() => reject(new Error(`${selector} has no new text 30 s after ${type}.`)), 30_000);
    let isNew = false;
    const observer = new MutationObserver(() => {
      isNew ||= textOf() !== before;
      if (!isNew || !textOf().includes(wanted)) return;
      observer.disconnect();
      painted().then(() => resolve(performance.now() - timeStamp));
    });
    observer.observe(document.body, { childList: true, subtree: true, characterData: true });
  }, { capture: true, once: true }));
};

/** Returns a place of the picture where no box is. */
window.freePlace = () => {
  const { left, top, right, bottom } = document.querySelector(".picture").getBoundingClientRect();
  for (let y = top + 9; y < bottom - 9; y += 7) {
    for (let x = left + 9; x < right - 9; x += 7) {
      if (!document.elementFromPoint(x, y)?.closest(".box, button, .minimap")) return [x, y];
    }
  }
  throw new Error("Boxes cover the whole picture.");
};

/** Moves or zooms the picture in each frame; resolves to the number of frames a second. */
window.driveFrames = async (kind, count) => {
  const picture = document.querySelector(".picture");
  const { left, top, width, height } = picture.getBoundingClientRect();
  const middle = { clientX: left + width / 2, clientY: top + height / 2 };
  const start = await new Promise(requestAnimationFrame);
  let last = start;
  for (let frame = 0; frame < count; frame++) {
    const sign = Math.floor(frame / 40) % 2 ? -1 : 1;
    if (kind === "pan") picture.dispatchEvent(new PointerEvent("pointermove", { movementX: sign * 14, movementY: sign * 8 }));
    else picture.dispatchEvent(new WheelEvent("wheel", { deltaY: sign * 30, cancelable: true, ...middle }));
    last = await new Promise(requestAnimationFrame);
  }
  return (1000 * count) / (last - start);
};

/** Returns the place of each box on the screen. */
window.boxPlaces = () => Object.fromEntries([...document.querySelectorAll(".box")].map((box) => {
  const { left, top } = box.getBoundingClientRect();
  return [box.dataset.name, [left, top]];
}));
