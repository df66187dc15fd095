import { base64Of } from "../../protobuf/base64.js";
import type { CallStatus, SentMetadata } from "./server-call.js";

/** Metadata in the form of HTTP/2 headers. */
export type WireHeaders = Record<string, string | string[]>;

/** Returns metadata as headers. Binary values are written in base64. */
export function headersOf(metadata: SentMetadata): WireHeaders {
  const headers: WireHeaders = {};
  for (const [name, value] of Object.entries(metadata))
    headers[name] =
      typeof value === "string" || value instanceof Uint8Array ? textOf(value) : value.map(textOf);
  return headers;
}

function textOf(value: string | Uint8Array): string {
  return typeof value === "string" ? value : base64Of(value).replace(/=+$/, "");
}

/** Returns the trailers of a status. */
export function trailersOf({ code, details, metadata }: CallStatus): WireHeaders {
  const headers = metadata === undefined ? {} : headersOf(metadata);
  headers["grpc-status"] = String(code);
  if (details !== "") headers["grpc-message"] = percentEncoded(details);
  return headers;
}

/** Encodes the characters of a message that a header cannot contain. */
export function percentEncoded(text: string): string {
  return text
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .replace(/[^\x20-\x24\x26-\x7e]+/g, encodeURIComponent);
}

const unitMs: Readonly<Record<string, number | undefined>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1_000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};

/** Returns the milliseconds in a header `grpc-timeout`; `undefined` if it is invalid. */
export function timeoutOf(header: string): number | undefined {
  const [, digits = "", unit = ""] = /^(\d{1,8})([HMSmun])$/.exec(header) ?? [];
  const factor = unitMs[unit];
  return factor === undefined ? undefined : Number(digits) * factor;
}
