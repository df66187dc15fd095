import type { ErrorTable, HttpErrorReader } from "../../protocol/error.js";
import type { HttpRoute, RestOperation, ServiceFacts } from "../../protocol/operation.js";
import type { RestJson } from "../../protocol/rest-json.js";
import type { Call } from "../../protocol/transport.js";
import type { Type } from "../../schema/schema.js";
import type { Success } from "./client-repeat.js";

// Clients load this module with the first stream. It imports no module that clients load before,
// because bundlers would move such a module out of the file that every client loads.

/** The options of the transport that a stream requires. */
interface StreamOptions {
  readonly protocol: ServiceFacts;
  readonly errors: ErrorTable;
  readonly readError: HttpErrorReader;
  readonly json?: RestJson | undefined;
}

/** A stream, and the functions of the transport that it requires. */
export interface StreamSource {
  readonly call: Call;
  readonly options: StreamOptions;
  /** The media types of responses that are not streams. */
  readonly accept: string;
  readonly operation: RestOperation | undefined;
  /** The type of an event, if it is known. */
  readonly type: Type<unknown> | undefined;
  /** Sends the call and waits for the head of the response. */
  readonly send: (accept: string) => Promise<Success>;
  /** Returns the response that an event represents. */
  readonly read: (route: HttpRoute, event: unknown) => unknown;
}

/**
 * Sends a call and yields its responses: server-sent events, lines of JSON, or a single response.
 * If an event is an error of the protocol, throws the error.
 */
export async function* streamFrom(source: StreamSource): AsyncGenerator<unknown, void, undefined> {
  const { call, options, accept, send, read } = source;
  const { errors, protocol, readError } = options;
  const { lines } = protocol.mediaTypes;
  // Events have precedence over lines, because their comments keep an idle stream open.
  const others = lines === undefined ? accept : `${lines};q=0.9, ${accept}`;
  const { received, route } = await send(`text/event-stream, ${others}`);
  const contentType = received.response.headers.get("content-type")?.toLowerCase();
  const isLines = lines !== undefined && contentType?.startsWith(lines) === true;
  const has = memberTest(source);
  const isAnswer = answerTest(source, route, has);
  const mayBeEmpty = protocol.emptyStreams;
  const events =
    isLines || received.streams
      ? await received.events({ call, isLines, isAnswer, mayBeEmpty })
      : [await received.json()];
  // If the type of the response has a field with one of these names, an event with this field is
  // not an error.
  const isResponse = has !== undefined && readError.members.some(has);
  for await (const event of events) {
    const error = isResponse ? undefined : readError.read(event, errors);
    if (error !== undefined) throw error;
    yield read(route, event);
  }
}

/** A function that returns whether a response has a field. */
type MemberTest = (name: string) => boolean;

/** Returns the test for the fields of a response, if they are known. */
function memberTest({ operation, type }: StreamSource): MemberTest | undefined {
  const members = operation?.members;
  if (members !== undefined) return (name) => members.includes(name);
  return type?.field && ((name) => type.field?.(name) !== undefined);
}

/**
 * Returns a function that returns whether a value has a member of an error or of a response, or is
 * valid without members.
 */
function answerTest(
  { operation, options: { json, readError } }: StreamSource,
  { responseBody }: HttpRoute,
  has: MemberTest | undefined,
): (value: unknown) => boolean {
  if (has === undefined || json !== undefined || responseBody !== undefined) return () => true;
  return (value) => {
    const keys = keysOf(value);
    if (keys.length === 0) return operation?.mayBeEmpty === true;
    return keys.some((key) => has(key) || readError.members.includes(key));
  };
}

/** Returns the keys of an object. Any other value, such as a list, has none. */
function keysOf(value: unknown): string[] {
  return typeof value === "object" && !Array.isArray(value) ? Object.keys(value ?? {}) : [];
}
