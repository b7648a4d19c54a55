// The keys of the page, in a dialog that "?" opens.
import { useEffect, useRef } from "preact/hooks";
import { isInField } from "./form.tsx";

const KEYS: readonly (readonly [where: string, keys: readonly (readonly [key: string, meaning: string])[]])[] = [
  ["Everywhere", [["/", "search"], ["?", "this list"]]],
  ["Search", [["↑ ↓", "choose a hit"], ["Enter", "open it"], ["Ctrl+Enter", "open its graph"], ["Esc", "close"]]],
  ["Graph", [["Ctrl+Z", "undo"], ["t", "tidy"], ["f", "only the path of the marked column"]]],
  ["A box of the graph", [
    ["← →", "along an edge"], ["↑ ↓", "within a column of boxes"], ["[ ]", "show more upstream, downstream"],
    ["{ }", "show all upstream, downstream"], ["c", "open or close the columns"], ["0", "fit"], ["+ −", "zoom"],
  ]],
  ["Time", [["← →", "the change before, after"]]],
];

export function KeysButton() {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = () => dialog.current?.showModal();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "?" || isInField(event) || event.ctrlKey || event.metaKey || dialog.current?.open) return;
      event.preventDefault();
      open();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
  return (
    <>
      <button class="small" onClick={open}>Keys</button>
      <dialog ref={dialog} aria-label="Keys" class="keys">
        {KEYS.map(([where, keys]) => (
          <section>
            <h3>{where}</h3>
            <dl>{keys.map(([key, meaning]) => <><dt><kbd>{key}</kbd></dt><dd>{meaning}</dd></>)}</dl>
          </section>
        ))}
        <button onClick={() => dialog.current?.close()}>Close</button>
      </dialog>
    </>
  );
}
