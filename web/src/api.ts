// Requests to the read API, and their state as a component shows it.
import { useEffect, useState } from "preact/hooks";
import { toQuery, type Parameters } from "./address.ts";
import { shareValue } from "./shared.ts";

const ROOT = "/api/v1/graph/";
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

type Parse = (text: string) => unknown;

/** Is true after the server answered that it requires a token. */
export const isLoginNeeded = shareValue(false);

/** An error that the server answered, or that prevented its answer. */
export class ApiError extends Error {
  readonly status: number;
  readonly hint: string;
  /** The line of a query with an error, and a line that marks its place. */
  readonly excerpt: readonly string[];

  constructor(status: number, message: string, hint = "", excerpt: readonly string[] = []) {
    super(message);
    this.status = status;
    this.hint = hint;
    this.excerpt = excerpt;
  }
}

export type Answer<T> =
  | { readonly state: "loading" }
  | { readonly state: "failed"; readonly error: ApiError; readonly retry: () => void }
  | { readonly state: "ready"; readonly value: T };

/** Returns the address of an answer. */
export function answerHref(operation: string, parameters: Parameters = {}): string {
  const query = toQuery(parameters).toString();
  return ROOT + operation + (query ? `?${query}` : "");
}

/** Asks an operation by GET. Throws ApiError. */
export function getAnswer<T>(
  operation: string, parameters: Parameters = {}, signal: AbortSignal | null = null,
): Promise<T> {
  return request<T>(answerHref(operation, parameters), { signal });
}

/** Asks an operation by POST. Throws ApiError. */
export function postQuestion<T>(
  operation: string, body: unknown, signal: AbortSignal | null = null,
): Promise<T> {
  return request<T>(ROOT + operation, { ...jsonBody(JSON.stringify(body)), signal });
}

/** Returns the options of a POST of JSON. */
export function jsonBody(body: string): RequestInit {
  return { method: "POST", headers: { "Content-Type": "application/json" }, body };
}

/** Asks an operation while the component is shown, again if its parameters change. */
export function useAnswer<T>(operation: string, parameters: Parameters = {}): Answer<T> {
  return useRequest<T>(answerHref(operation, parameters), null);
}

/** Asks an operation by POST while the component is shown, again if its body changes. */
export function usePosted<T>(operation: string, body: unknown, parse?: Parse): Answer<T> {
  return useRequest<T>(ROOT + operation, JSON.stringify(body), parse);
}

function useRequest<T>(href: string, body: string | null, parse?: Parse): Answer<T> {
  const key = `${href} ${body}`;
  const [attempt, setAttempt] = useState(0);
  const [answer, setAnswer] = useState<{ key: string; answer: Answer<T> } | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    const retry = () => {
      setAnswer(null);
      setAttempt(attempt + 1);
    };
    request<T>(href, { ...(body !== null && jsonBody(body)), signal: abort.signal }, parse).then(
      (value) => setAnswer({ key, answer: { state: "ready", value } }),
      (error: unknown) => {
        if (abort.signal.aborted) return;
        setAnswer({ key, answer: { state: "failed", error: toApiError(error), retry } });
      },
    );
    return () => abort.abort();
  }, [key, attempt]);
  return answer?.key === key ? answer.answer : { state: "loading" };
}

export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(0, "The server does not answer.", "Check that `lineage serve` runs, then retry.");
}

/** Sends a request and returns its JSON, null if the answer has no body. Throws ApiError. */
export async function request<T>(href: string, options: RequestInit, parse: Parse = JSON.parse): Promise<T> {
  const response = await fetch(href, { ...options, credentials: "same-origin" });
  const body: unknown = await response.text().then(parse).catch(() => null);
  if (response.status === 204 || (response.ok && body !== null)) return body as T;
  throw toRefusal(response, body);
}

/** Parses JSON; an integer that a number of JavaScript cannot hold becomes a text. */
export function parseExactly(text: string): unknown {
  const isHeld = (token: string) => !/^-?\d+$/.test(token) || Number.isSafeInteger(Number(token));
  return JSON.parse(text.replace(STRING_OR_NUMBER, (token) => (isHeld(token) ? token : `"${token}"`)));
}

/** Asks an operation by POST for a file. Throws ApiError. */
export async function postFile(operation: string, body: unknown): Promise<Blob> {
  const response = await fetch(ROOT + operation, { ...jsonBody(JSON.stringify(body)), credentials: "same-origin" });
  if (response.ok) return response.blob();
  throw toRefusal(response, await response.json().catch(() => null));
}

function toRefusal(response: Response, body: unknown): ApiError {
  if (response.status === 401) isLoginNeeded.value = true;
  const problem = (body as { error?: Details } | null)?.error;
  return new ApiError(
    response.status, problem?.message ?? `The server answered ${response.status}.`, problem?.hint, problem?.excerpt,
  );
}

interface Details {
  readonly message?: string;
  readonly hint?: string;
  readonly excerpt?: readonly string[];
}
