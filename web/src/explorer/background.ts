// Layouts of large pictures, in a worker: the page answers the reader meanwhile.
import { placeNodes } from "../layout/fresh.ts";
import type { LayoutRequest, NodePlaces } from "../layout/graph.ts";

const MAX_INLINE_BOXES = 400; // so many boxes are laid out in a few milliseconds

declare const WORKER_URL: string; // written by web/build.py

interface Pending {
  readonly request: LayoutRequest;
  readonly resolve: (places: NodePlaces | Promise<NodePlaces>) => void;
}

let worker: Worker | undefined; // kept: its code is compiled when the next layout comes
let policy: { createScriptURL(url: string): unknown } | undefined;
const pending: Pending[] = []; // answered in this order

/** Returns the places of the nodes. Without a worker, the layout is made here. */
export async function placeInBackground(request: LayoutRequest): Promise<NodePlaces> {
  if (request.graph.nodes.length <= MAX_INLINE_BOXES || typeof Worker === "undefined") return placeHere(request);
  worker ??= startWorker();
  worker.postMessage(request);
  return new Promise((resolve) => pending.push({ request, resolve }));
}

async function placeHere({ graph, spacing }: LayoutRequest): Promise<NodePlaces> {
  return placeNodes(graph, spacing);
}

function startWorker(): Worker {
  const started = new Worker(trustedUrl(), { type: "module" });
  started.onmessage = (event: MessageEvent<NodePlaces>) => pending.shift()?.resolve(event.data);
  started.onerror = (event) => { // its script is not reachable, or the layout has an error, which comes here too
    event.preventDefault();
    started.terminate();
    worker = undefined;
    for (const { request, resolve } of pending.splice(0)) resolve(placeHere(request));
  };
  return started;
}

/** Returns the address of the worker's script. The policy of the page allows this address and no other. */
function trustedUrl(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  policy ??= trustedTypes?.createPolicy("lineage", { createScriptURL: () => WORKER_URL });
  return policy ? (policy.createScriptURL("") as string) : WORKER_URL;
}

/** What the page uses of Trusted Types, which not every browser has. */
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): { createScriptURL(url: string): unknown };
}
