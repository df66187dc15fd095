import { A2AError } from "../../../../../library/runtime/protocol/error.js";
import type { Operation } from "../../../../../library/runtime/protocol/operation.js";
import type { CoreParts } from "../../../../../library/runtime/server/core-parts.js";
import type { Core } from "../../../../../library/runtime/server/core.js";
import type { EventStream } from "../../../../../library/runtime/server/event-stream.js";
import type { Exchange } from "../../../../../library/runtime/server/exchange.js";
import type { OpenedRequest } from "../../../../../library/runtime/server/request.js";
import { operations, sampleCore, type NoteService } from "./server-sample.js";

/** A call on a binding of the test. */
export interface TestCall {
  readonly core: Core;
  readonly operation: Operation;
  readonly exchange: Exchange;
  readonly leave: () => void;
}

type Source = Pick<OpenedRequest, "mode" | "read">;

export function begin(
  core: Core,
  operation: Operation,
  headers: Record<string, string> = {},
): TestCall {
  const lower = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  let leave = (): void => undefined;
  const exchange = core.begin({
    binding: "TEST",
    headers: {
      get: (name) => lower[name.toLowerCase()],
      entries: () => Object.entries(lower),
    },
    source: { onClose: (listener) => (leave = listener) },
  });
  return { core, operation, exchange, leave: () => leave() };
}

export function passed<T>(outcome: T | A2AError): T {
  if (outcome instanceof A2AError) throw outcome;
  return outcome;
}

export async function unary(
  { core, operation, exchange }: TestCall,
  source: Source,
): Promise<unknown> {
  const call = passed(await core.accept(exchange, () => ({ operation, ...source })));
  return passed<unknown>(await core.unary(call, (response) => response));
}

export async function stream(
  { core, operation, exchange }: TestCall,
  source: Source,
): Promise<EventStream<unknown>> {
  const call = passed(await core.accept(exchange, () => ({ operation, ...source })));
  return passed(await core.stream(call, (event) => event));
}

export async function get(
  service: NoteService,
  parts: Partial<CoreParts> = {},
  headers: Record<string, string> = {},
) {
  const core = sampleCore(service, parts);
  return unary(begin(core, operations.getNote, headers), {
    mode: "json",
    read: () => ({ id: "n1" }),
  });
}

export async function refusal(promise: Promise<unknown>): Promise<A2AError> {
  const thrown: unknown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof A2AError)) throw new Error("no A2AError", { cause: thrown });
  return thrown;
}

export async function* requestsOf(...items: unknown[]): AsyncGenerator {
  yield* items;
}
