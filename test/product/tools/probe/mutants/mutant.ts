import type { Fetch } from "../../../../../tools/agents/index.js";

/** A response that a mutant changes. */
export interface Wire {
  status: number;
  headers: Record<string, string>;
  /** The body as JSON; `undefined` for a stream. */
  body: unknown;
  /** The data of each event; `undefined` for other responses. */
  events: unknown[] | undefined;
  /** Position among the responses that the mutant may change; the first one has 1. */
  readonly position: number;
}

/** A request whose response a mutant may change. */
export interface Sent {
  readonly url: URL;
  readonly method: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
}

/** Changes one thing in a response. */
export type Change = (wire: Wire, sent: Sent) => void;

/** Agents that mutants are made of. */
export type AgentKind =
  "full" | "plain" | "asking" | "replying" | "closed" | "extended" | "earlier";

/** A way to break one rule and no other. */
export interface Mutant {
  readonly rule: string;
  readonly change: Change;
  /** Interface that the mutant is about; JSON-RPC by default. */
  readonly lane?: string;
  readonly agent?: AgentKind;
}

/** Returns the mutants of a table by rule: a change, or a change with its interface or agent. */
export function mutantsOf(
  table: Readonly<Record<string, Change | Omit<Mutant, "rule">>>,
): readonly Mutant[] {
  return Object.entries(table).map(([rule, row]) => ({
    rule,
    ...(typeof row === "function" ? { change: row } : row),
  }));
}

/** Sets the value at a path such as `error.code`, or removes it if the value is `undefined`. */
export function put(target: unknown, path: string, value: unknown): void {
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  const holder = keys.reduce<unknown>(
    (found, key) => (found as Record<string, unknown> | undefined)?.[key],
    target,
  );
  if (typeof holder !== "object" || holder === null) return;
  if (value === undefined) Reflect.deleteProperty(holder, last);
  else Reflect.set(holder, last, value);
}

/** Changes the value at a path of the body. */
export const set =
  (path: string, value: unknown): Change =>
  ({ body }) =>
    put(body, path, value);

/** Changes a header; `undefined` removes it. */
export const header =
  (name: string, value: string | undefined): Change =>
  ({ headers }) =>
    put(headers, name, value);

/** Changes the status. */
export const status =
  (code: number): Change =>
  (wire) => {
    wire.status = code;
  };

/** Replaces every JSON-RPC response by a result. */
export const accepts =
  (result: unknown = {}): Change =>
  (wire, { body }) => {
    wire.events = undefined;
    wire.headers["content-type"] = "application/json";
    wire.body = { jsonrpc: "2.0", id: body["id"], result };
  };

/** Replaces every JSON-RPC response by an internal error. */
export const fails: Change = (wire, { body }) => {
  wire.body = {
    jsonrpc: "2.0",
    id: body["id"],
    error: { code: -32603, message: "Internal error", data: [] },
  };
  wire.events = undefined;
  wire.headers["content-type"] = "application/json";
};

/** Changes the card. */
export const card =
  (path: string, value: unknown): Change =>
  ({ body }, { url }) => {
    if (url.pathname.startsWith("/.well-known/")) put(body, path, value);
  };

/** Changes only responses to a JSON-RPC method. */
export const on =
  (method: string, change: Change): Change =>
  (wire, sent) => {
    if (sent.body["method"] === method) change(wire, sent);
  };

/** Changes only the second response. */
export const second =
  (change: Change): Change =>
  (wire, sent) => {
    if (wire.position === 2) change(wire, sent);
  };

/** Changes the events of a stream. */
export const events =
  (change: (events: unknown[]) => unknown[]): Change =>
  (wire) => {
    if (wire.events !== undefined) wire.events = change(wire.events);
  };

/** Changes the value at a path of each event. */
export const event = (path: string, value: unknown): Change =>
  events((all) => {
    for (const each of all) put(each, path, value);
    return all;
  });

/** Returns a `fetch` whose responses a mutant changes. */
export function mutated(change: Change, applies: (sent: Sent) => boolean): Fetch {
  let position = 0;
  return async (url, init) => {
    const response = await fetch(url, init);
    const sent = sentOf(url, init);
    if (!applies(sent) || response.status === 304) return response;
    position += 1;
    const text = await response.text();
    const headers = Object.fromEntries(response.headers);
    const isStream = headers["content-type"]?.startsWith("text/event-stream") === true;
    const wire: Wire = {
      status: response.status,
      headers,
      body: isStream ? undefined : parsed(text),
      events: isStream
        ? [...text.matchAll(/^data: ?(.*)$/gm)].map(([, data = ""]) => parsed(data))
        : undefined,
      position,
    };
    change(wire, sent);
    const body =
      wire.events?.map((data) => `data: ${JSON.stringify(data)}\n\n`).join("") ??
      (typeof wire.body === "string" ? wire.body : JSON.stringify(wire.body));
    return new Response(wire.status === 304 || wire.status === 204 ? null : body, wire);
  };
}

function sentOf(url: string, { method = "GET", body, headers }: RequestInit): Sent {
  const json = typeof body === "string" ? parsed(body) : undefined;
  const members = typeof json === "object" && json !== null ? { ...json } : {};
  return { url: new URL(url), method, body: members, headers: new Headers(headers) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Returns a text that is equal for equal requests of two probes: without the ids of the run, of
 * tasks and of webhooks. The id that no agent has assigned stays.
 */
export function signatureOf({ url, method, body, headers }: Sent): string {
  const names = ["a2a-version", "a2a-extensions", "accept", "authorization", "content-type"];
  const shown = names.map((name) => headers.get(name));
  return JSON.stringify([method, url.pathname, url.search, shown, body]).replaceAll(
    /(?!00000000-)[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g,
    "id",
  );
}

/** Returns a `fetch` that calls a function with each request. */
export function observed(onRequest: (sent: Sent) => void, send: Fetch = fetch): Fetch {
  return (url, init) => {
    onRequest(sentOf(url, init));
    return send(url, init);
  };
}
