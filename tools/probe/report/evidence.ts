import {
  redacted,
  redactedBody,
  toCurl,
  type Exchange,
  type ExportOptions,
} from "../../agents/index.js";
import type { Reply } from "../reply.js";

/** A request with its response, as strings for a report. Placeholders replace credentials. */
export interface Evidence {
  readonly request: string;
  readonly response: string;
  /** Command that repeats the request; `undefined` over gRPC. */
  readonly curl: string | undefined;
}

/** A request or a response in parts. Placeholders replace credentials. */
export interface EvidencePart {
  /** Method and URL, status, or the reason for a missing response. */
  readonly start: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | undefined;
  /** Reason why the body is incomplete. */
  readonly note?: string | undefined;
}

/** A request and its response in parts. */
export interface EvidenceParts {
  readonly request: EvidencePart;
  readonly response: EvidencePart;
}

/** Maximum length of a body in a report. */
const maxBody = 4_000;

/** Returns the request and the response of a reply. */
export function evidenceOf(reply: Reply, options: ExportOptions = {}): Evidence {
  const { request, response } = evidencePartsOf(reply, options);
  const { exchange } = reply;
  return {
    request: textOf(request),
    response: textOf(response),
    curl: exchange === undefined ? undefined : toCurl(exchange, options),
  };
}

/** Returns the request and the response of a reply in parts. */
export function evidencePartsOf(reply: Reply, options: ExportOptions = {}): EvidenceParts {
  const { exchange, call, failure } = reply;
  if (exchange !== undefined) {
    const { method, url, headers, body } = redacted(exchange.request, options);
    const start = `${method} ${url}`;
    return {
      request: { start, headers: Object.entries(headers), body },
      response: responseOf(exchange, options),
    };
  }
  // Calls over gRPC have no exchange over HTTP, so the report contains their values.
  const body = (value: unknown): string => redactedBody(JSON.stringify(value ?? null));
  const start = call === undefined ? "" : `${call.name} at ${call.url}`;
  return {
    request: { start, headers: [], body: call && body(call.request) },
    response:
      failure === undefined
        ? { start: "", headers: [], body: body(call?.response) }
        : { start: failure, headers: [], body: undefined },
  };
}

function responseOf(
  { request, response, error }: Exchange,
  options: ExportOptions,
): EvidenceParts["response"] {
  if (response === undefined)
    return { start: error ?? "no response", headers: [], body: undefined };
  const { status, events, body, isTruncated } = response;
  const { headers } = redacted({ ...request, headers: response.headers }, options);
  const content = events?.map(({ data }) => `data: ${data}`).join("\n") ?? body;
  const isIncomplete = isTruncated || error !== undefined;
  return {
    start: `HTTP ${status}`,
    headers: Object.entries(headers),
    body: redactedBody(content),
    note: isIncomplete ? `(${error ?? "the rest was not kept"})` : undefined,
  };
}

function textOf({ start, headers, body, note }: EvidencePart): string {
  const head = [
    ...(start === "" ? [] : [start]),
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  // Values over gRPC have no headers to separate.
  const gap = headers.length === 0 && !start.startsWith("HTTP ") ? [] : [""];
  return [
    ...head,
    ...(body === undefined ? [] : [...gap, shortened(body, maxBody)]),
    ...(note === undefined ? [] : [note]),
  ].join("\n");
}

/** Returns at most `length` characters of a text. A note states how many are missing. */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  const more = (text.length - length).toLocaleString("en");
  return `${text.slice(0, length)}… (${more} more characters)`;
}
