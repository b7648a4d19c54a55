// The picture as SVG: what the explorer shows, in light colours for documents.
import { bendOf, columnLines, edgeLines, type Colors, type Line, type Scene } from "./lines.ts";
import { areaOf, columnKey, heightOf, PITCH, rowOffset, WIDTH, type Box, type View } from "./model.ts";
import { fitName, lastPart, showName } from "../text.ts";
import { describeWrite } from "./describe.ts";

const COLORS: Colors = {
  line: "#586174", mark: "#1a56b8", text: "#1b2230", panel: "#ffffff", bad: "#b3261e", good: "#146c2e", change: "#7a4f00",
};
const MARGIN = 24;
const TEXT = WIDTH - 20; // pixels
const BOLD = "600 14px";
const ENTITIES: ReadonlyMap<string, string> = new Map([["&", "&amp;"], ["<", "&lt;"], [">", "&gt;"], ['"', "&quot;"]]);

export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly text: string;
}

/** Returns the whole picture, not only the part that the window shows. */
export function drawSvg(scene: Scene): Drawing {
  const { left, top, width, height } = frameOf(scene.view);
  const lines = [...edgeLines(scene, COLORS), ...columnLines(scene, COLORS)].map(drawLine);
  const boxes = [...scene.view.boxes.values()].map((box) => drawBox(box, scene));
  const text = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${left} ${top} ${width} ${height}" `
      + `font-family="system-ui, sans-serif" font-size="14" fill="${COLORS.text}">`,
    `<title>${escapeText(`Lineage of ${scene.view.root}`)}</title>`,
    `<rect x="${left}" y="${top}" width="${width}" height="${height}" fill="${COLORS.panel}"/>`,
    ...lines, ...boxes, "</svg>\n",
  ].join("\n");
  return { width, height, text };
}

function frameOf(view: View): { left: number; top: number; width: number; height: number } {
  const { left, top, right, bottom } = areaOf(view.boxes.values());
  return { left: left - MARGIN, top: top - MARGIN, width: right - left + 2 * MARGIN, height: bottom - top + 2 * MARGIN };
}

function drawLine(line: Line): string {
  const [[x1, y1], [x2, y2]] = [line.from, line.to];
  const bend = bendOf(line);
  const dash = line.dash.length > 0 ? ` stroke-dasharray="${line.dash.join(" ")}"` : "";
  return `<path d="M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}" fill="none" stroke="${line.color}" `
    + `stroke-width="${line.width}"${dash}/><path d="M${x2} ${y2}l-7 -4v8z" fill="${line.color}"/>${drawLabel(line)}`;
}

function drawLabel({ from, to, label, color }: Line): string {
  const [x, y] = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
  return label && `<text x="${x}" y="${y}" dy="4" text-anchor="middle" font-size="12" font-weight="600" fill="${color}" `
    + `stroke="${COLORS.panel}" stroke-width="4" paint-order="stroke">${escapeText(label)}</text>`;
}

function drawBox(box: Box, { chosen, path }: Scene): string {
  const { subject, opened } = box;
  const [x, y] = [box.layer * PITCH, box.y];
  const isChosen = subject.name === chosen;
  const isBad = subject.state === "FAIL" || subject.state === "ABORT";
  const columns = (opened?.names ?? []).map((column) => {
    const isLit = path.has(columnKey(subject.name, column));
    return drawText(x + 10, y + rowOffset(box, column) + 5, fitName(column, TEXT, isLit ? BOLD : "14px"), isLit ? COLORS.mark : COLORS.text, isLit);
  });
  return [
    `<g><title>${escapeText(subject.name)}</title>`,
    `<rect x="${x}" y="${y}" width="${WIDTH}" height="${heightOf(box)}" rx="6" fill="${COLORS.panel}" `
      + `stroke="${isChosen ? COLORS.mark : COLORS.line}" stroke-width="${isChosen ? 2 : 1}"/>`,
    drawText(x + 10, y + 20, fitName(lastPart(subject.label), TEXT, BOLD), COLORS.text, true),
    drawText(x + 10, y + 38, fitName([subject.namespace, ...subject.tags].join(" · "), TEXT, "14px"), COLORS.line),
    drawText(x + 10, y + 55, fitName(describeWrite(box), TEXT, "14px"), isBad ? COLORS.bad : COLORS.line),
    ...columns, "</g>",
  ].join("");
}

function drawText(x: number, y: number, text: string, color: string, isBold = false): string {
  return `<text x="${x}" y="${y}" fill="${color}"${isBold ? ' font-weight="600"' : ""}>${escapeText(text)}</text>`;
}

function escapeText(text: string): string {
  return showName(text).replace(/[&<>"]/g, (character) => ENTITIES.get(character) ?? character);
}
