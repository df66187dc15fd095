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

/** Maximum length of a body in a report. */
const maxBody = 4_000;

/** Returns the request and the response of a reply. */
export function evidenceOf(reply: Reply, options: ExportOptions = {}): Evidence {
  const { exchange, call } = reply;
  // Calls over gRPC have no exchange over HTTP, so the report contains their values.
  if (exchange === undefined) {
    const text = (value: unknown): string => shortened(redactedBody(JSON.stringify(value ?? null)));
    return {
      request: call === undefined ? "" : `${call.name} at ${call.url}\n${text(call.request)}`,
      response: reply.failure ?? text(call?.response),
      curl: undefined,
    };
  }
  const { method, url, headers, body } = redacted(exchange.request, options);
  const lines = [
    `${method} ${url}`,
    ...linesOf(headers),
    ...(body === undefined ? [] : ["", shortened(body)]),
  ];
  return {
    request: lines.join("\n"),
    response: responseText(exchange, options),
    curl: toCurl(exchange, options),
  };
}

function responseText({ request, response, error }: Exchange, options: ExportOptions): string {
  if (response === undefined) return error ?? "no response";
  const { status, events, body, isTruncated } = response;
  const { headers } = redacted({ ...request, headers: response.headers }, options);
  const content = events?.map(({ data }) => `data: ${data}`).join("\n") ?? body;
  const isIncomplete = isTruncated || error !== undefined;
  const lines = [
    `HTTP ${status}`,
    ...linesOf(headers),
    "",
    shortened(redactedBody(content)),
    ...(isIncomplete ? [`(${error ?? "the rest was not kept"})`] : []),
  ];
  return lines.join("\n");
}

function linesOf(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

function shortened(text: string): string {
  if (text.length <= maxBody) return text;
  return (
    `${text.slice(0, maxBody)}… (${(text.length - maxBody).toLocaleString("en")} more ` +
    "characters)"
  );
}
