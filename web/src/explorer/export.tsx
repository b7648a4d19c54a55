// Files of what the explorer shows: pictures made here, other formats made by the server.
import { useState } from "preact/hooks";
import { ApiError, postFile, toApiError } from "../api.ts";
import { Problem } from "../components.tsx";
import { saveFile } from "../save.ts";
import { filterBody, type Scope } from "./scope.ts";
import type { Scene } from "./lines.ts";
import { drawSvg, type Drawing } from "./svg.ts";

const PICTURES = [["png", "PNG"], ["svg", "SVG"]] as const;
const FORMATS = [
  ...PICTURES, ["csv", "CSV"], ["mermaid", "Mermaid"], ["dot", "DOT"],
  ["graphml", "GraphML"], ["openlineage", "OpenLineage"], ["json", "JSON"],
] as const;
const ENDINGS: ReadonlyMap<string, string> = new Map([["mermaid", "mmd"], ["dot", "gv"], ["openlineage", "jsonl"]]);
const MAX_CANVAS_PIXELS = 2 ** 26;
const MAX_SIDE_PIXELS = 16_000; // of a side of a canvas

/** Lists the formats; a choice saves the nodes that are shown, with the edges between them. */
export function ExportMenu(props: { scene: Scene; scope: Scope }) {
  const { boxes, edges } = props.scene.view;
  const isOfDatasets = [...boxes.values()].every(({ subject }) => subject.kind === "dataset");
  const hasOwnLines = isOfDatasets && edges.some(({ hidden, change }) => hidden !== undefined || change !== undefined);
  const [error, setError] = useState<ApiError | null>(null);
  const save = async (format: string) => {
    setError(null);
    try {
      saveFile(`lineage.${ENDINGS.get(format) ?? format}`, await makeFile(format, props.scene, props.scope));
    } catch (problem) {
      setError(toApiError(problem));
    }
  };
  return (
    <details class="export">
      <summary>Export</summary>
      <div>{(isOfDatasets && !hasOwnLines ? FORMATS : PICTURES).map(([format, label]) => <button key={format} onClick={() => void save(format)}>{label}</button>)}</div>
      {hasOwnLines && <p class="quiet">Other formats have neither paths through filtered datasets nor changes.</p>}
      {error && <Problem error={error} />}
    </details>
  );
}

async function makeFile(format: string, scene: Scene, { filters, time }: Scope): Promise<Blob> {
  if (format === "svg") return toBlob(drawSvg(scene));
  if (format === "png") return toPng(drawSvg(scene));
  const { boxes } = scene.view;
  const columns_of = [...boxes].filter(([, { opened }]) => opened !== null).map(([name]) => name);
  return postFile("subgraph", { datasets: [...boxes.keys()], columns_of, ...filterBody(filters), time, format });
}

function toBlob(drawing: Drawing): Blob {
  return new Blob([drawing.text], { type: "image/svg+xml" });
}

/** Draws the picture at twice its size, less if that is more than a canvas holds. */
async function toPng(drawing: Drawing): Promise<Blob> {
  const { width, height } = drawing;
  const scale = Math.min(2, MAX_SIDE_PIXELS / width, MAX_SIDE_PIXELS / height, Math.sqrt(MAX_CANVAS_PIXELS / (width * height)));
  const image = new Image(width, height);
  image.src = URL.createObjectURL(toBlob(drawing));
  try {
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [Math.floor(width * scale), Math.floor(height * scale)];
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
    if (blob === null) throw new ApiError(0, "The browser cannot make a PNG of this size.", "Save it as SVG.");
    return blob;
  } finally {
    URL.revokeObjectURL(image.src);
  }
}
