import { expect } from "vitest";

/** An agent with a client that speaks one transport to it. */
export interface Pair {
  readonly client: { close(): void };
  readonly agent: { close(): Promise<void> };
}

/**
 * Plays a scene over each transport with a new agent each time, expects the same result from all of
 * them, and returns it. `open` starts the agent and connects a client with the transport of this
 * name.
 */
export async function everywhere<Side extends Pair, T, Binding extends string>(
  bindings: readonly Binding[],
  open: (binding: Binding) => Promise<Side>,
  scene: (side: Side, binding: Binding) => Promise<T>,
): Promise<T> {
  const results = await Promise.all(
    bindings.map(async (binding) => {
      const side = await open(binding);
      try {
        return { binding, result: await scene(side, binding) };
      } finally {
        side.client.close();
        await side.agent.close();
      }
    }),
  );
  const [first, ...others] = results;
  if (first === undefined) throw new Error("The version has no transports");
  for (const { binding, result } of others)
    expect(result, `${binding} against ${first.binding}`).toEqual(first.result);
  return first.result;
}

/** An error as its class and text say it, which all transports carry. */
export interface Refusal {
  readonly name: string;
  readonly message: string;
}

/** Gives the error that a call is refused with. */
export async function refusal(call: Promise<unknown>): Promise<Refusal> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { name: error.name, message: error.message };
  }
  throw new Error("The call was not refused");
}

/** Returns the rejection of a promise. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => {
      throw new Error(`Expected a failure, got ${JSON.stringify(value)}`);
    },
    (error: unknown) => error,
  );
}

/** Reads a stream to its end. */
export async function all<Event>(stream: AsyncIterable<Event>): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** Reads a stream to its end. Returns its elements and what it throws, if anything. */
export async function drain<T>(
  stream: AsyncIterable<T>,
): Promise<{ elements: T[]; failure: unknown }> {
  const elements: T[] = [];
  try {
    for await (const element of stream) elements.push(element);
    return { elements, failure: undefined };
  } catch (failure) {
    return { elements, failure };
  }
}

/** A stream whose first event has come, so that it sees everything from here on. */
export interface OpenStream<Event> {
  readonly first: Event;
  /** Reads the stream to its end, and gives all events, the first among them. */
  rest(): Promise<Event[]>;
}

/** Waits for the first event of a stream. */
export async function opened<Event>(stream: AsyncIterable<Event>): Promise<OpenStream<Event>> {
  const iterator = stream[Symbol.asyncIterator]();
  const result = await iterator.next();
  if (result.done === true) throw new Error("The stream is empty");
  const first = result.value;
  return {
    first,
    rest: async () => [first, ...(await all({ [Symbol.asyncIterator]: () => iterator }))],
  };
}
