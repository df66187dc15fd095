import { A2AError } from "../protocol/error.js";
import type { Peer } from "../protocol/headers.js";
import type { Operation } from "../protocol/operation.js";
import type { CallVersion } from "./adapter.js";
import type { Core } from "./core.js";
import type { EventStream } from "./event-stream.js";
import type { Exchange } from "./exchange.js";
import { preparedValue } from "./prepared.js";
import type { OpenedRequest } from "./request.js";

/** A call that a custom binding has received. */
export interface ReceivedCall {
  /** Name of the operation, or its JSON-RPC method. */
  readonly operation: string;
  /**
   * The request as JSON. Do not change it afterwards: the service receives parts of it without a
   * copy.
   */
  readonly request: unknown;
  /**
   * Headers of the call, such as the version and the credentials. The case of their names is
   * ignored.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The other end of the connection. Hooks receive it. */
  readonly peer?: Peer | undefined;
  /** Signal that the binding aborts when the caller no longer waits for the response. */
  readonly signal?: AbortSignal | undefined;
}

/** Reply to a call: one response, or the events of a stream. */
export type CallReply = UnaryReply | StreamReply;

/** Common part of replies. */
interface ReplyHead {
  /** Headers of the response, with the extensions that the agent has activated. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Reply to a call with one response. */
export interface UnaryReply extends ReplyHead {
  readonly response: unknown;
  readonly events?: undefined;
}

/** Reply to a call with a stream of responses. */
export interface StreamReply extends ReplyHead {
  readonly response?: undefined;
  /** Iteration throws an {@link A2AError} if the stream fails. Leaving the loop ends the call. */
  readonly events: AsyncIterable<unknown>;
}

/**
 * Handles the calls of a custom binding. Rejects with the {@link A2AError} to send if the call
 * fails.
 */
export type CallHandler = (call: ReceivedCall) => Promise<CallReply>;

/**
 * Returns a handler for the calls of a custom binding. `binding` is the name of the binding in
 * agent cards.
 */
export function callHandler(core: Core, binding: string): CallHandler {
  const named = new Map(core.versions.map((version) => [version, operationsOf(version)]));
  return async (received) => {
    const exchange = core.begin({ binding, ...headOf(received) });
    const open = (): OpenedRequest => {
      const operation = exchange.choose((version) => named.get(version)?.get(received.operation));
      if (operation === undefined) throw new exchange.version.errors.methodNotFound();
      return { operation, mode: "json", read: () => received.request };
    };
    const { observation } = exchange;
    exchange.onClose(() => observation?.end("disconnected"));
    let isStream = false;
    try {
      const call = await core.accept(exchange, open);
      if (call instanceof A2AError) throw call;
      if (call.operation.streaming === "none") {
        const response = await core.unary(call, preparedValue);
        if (response instanceof A2AError) throw response;
        return { response, headers: exchange.allHeadersToSend() };
      }
      const stream = await core.stream(call, preparedValue);
      if (stream instanceof A2AError) throw stream;
      isStream = true;
      return { events: eventsOf(stream, exchange), headers: exchange.headersToSend() };
    } finally {
      if (!isStream) observation?.end();
    }
  };
}

function operationsOf({ operations }: CallVersion): ReadonlyMap<string, Operation> {
  const named = new Map<string, Operation>();
  for (const operation of operations) named.set(operation.name, operation);
  for (const operation of operations)
    if (operation.jsonRpc !== undefined) named.set(operation.jsonRpc, operation);
  return named;
}

function headOf({ headers = {}, peer, signal }: ReceivedCall) {
  const own = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    headers: {
      get: (name: string) => own.get(name.toLowerCase()),
      entries: () => own.entries(),
    },
    source: {
      peer,
      onClose(listener: () => void) {
        if (signal?.aborted === true) listener();
        else signal?.addEventListener("abort", listener, { once: true });
      },
    },
  };
}

/** Returns the events of a stream, and ends the call when the caller leaves the loop. */
async function* eventsOf(
  stream: EventStream<unknown>,
  { observation }: Exchange,
): AsyncGenerator<unknown, void, undefined> {
  try {
    for await (const event of stream) {
      if (event instanceof A2AError) throw event;
      yield event;
    }
    observation?.end();
  } finally {
    observation?.end("disconnected");
  }
}
