import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { isDeepStrictEqual } from "node:util";
import { grpcStatus } from "../../../library/runtime/protocol/error.js";
import type { HttpCase } from "./cases.js";

/** A response in the form in which the two servers are compared. */
export interface Received {
  readonly status: number;
  /** The values of a stream, or the value of another response. */
  readonly values: readonly unknown[];
  /** The name of the code, if the response or the last value of a stream is an error. */
  readonly error?: string;
  readonly message?: string;
}

/** Sends a request, and reads its response. */
export async function exchange(
  url: string,
  { method, path, body, headers }: HttpCase,
): Promise<Received> {
  const { hostname, port } = new URL(url);
  const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
  const options = { hostname, port, method, path, headers: { ...headers, ...length } };
  const sent = request({ ...options, agent: false });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const { statusCode: status = 0 } = response;
  return readAnswer(status, response.headers["content-type"] ?? "", await text(response));
}

function readAnswer(status: number, type: string, body: string): Received {
  const isStream = type.startsWith("text/event-stream");
  const parts = isStream
    ? body.split("\n\n").map((event) => event.replace(/^data: /, ""))
    : body.split("\n");
  const values = parts.filter((part) => part !== "").map(parsed);
  const error = errorOf(values.at(-1));
  if (error === undefined) return { status, values: values.map(unwrapped) };
  return { status, values: values.slice(0, -1).map(unwrapped), ...error };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The gateway puts each value of a stream into an object. */
function unwrapped(value: unknown): unknown {
  const { result, ...others } = membersOf(value);
  return result !== undefined && Object.keys(others).length === 0 ? result : value;
}

/** Reads an error of either server. */
function errorOf(value: unknown): Pick<Received, "error" | "message"> | undefined {
  const body = membersOf(membersOf(value)["error"] ?? value);
  const { code, status, message } = body;
  if (typeof code !== "number" || typeof message !== "string") return undefined;
  if (typeof status === "string") return { error: status, message };
  const [name] = Object.entries(grpcStatus).find(([, number]) => number === code) ?? [];
  return { error: name ?? String(code), message };
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}

/** Returns whether two responses mean the same. Only errors of the service have equal messages. */
export function areEqual(ours: Received, theirs: Received): boolean {
  const isFromService = [ours, theirs].some(({ message = "" }) => message.startsWith("It is "));
  const { message: own, ...rest } = ours;
  const { message: other, ...others } = theirs;
  return isDeepStrictEqual(rest, others) && (!isFromService || own === other);
}
