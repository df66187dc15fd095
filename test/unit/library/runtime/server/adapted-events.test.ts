import { expect, it } from "vitest";
import { A2AError } from "../../../../../library/runtime/protocol/error.js";
import { EventStream } from "../../../../../library/runtime/server/event-stream.js";
import type { PreparedEvents } from "../../../../../library/runtime/server/prepared.js";
import { AdaptedEvents } from "../../../../../library/runtime/versions/adapted-events.js";
import { all } from "../../../../support/everywhere.js";

/** Records the ends of streams of the numbers 1, 2 and 3, and all failures. */
class Sample {
  readonly notes: string[] = [];

  async *events(): AsyncGenerator<number, void> {
    try {
      yield* [1, 2, 3];
    } finally {
      this.notes.push("ended");
    }
  }

  /** The same events, which are all there at once. */
  prepared(): PreparedEvents {
    const [events, { notes }] = [[1, 2, 3], this];
    const next = (): Promise<IteratorResult<unknown, unknown>> => {
      return Promise.resolve(
        events.length === 0
          ? { done: true, value: undefined }
          : { done: false, value: events.shift() },
      );
    };
    return {
      next,
      nextPrepared: next,
      takePrepared: () => events.shift(),
      get isAtEnd() {
        return events.length === 0;
      },
      return(value) {
        notes.push("ended");
        return Promise.resolve({ done: true, value });
      },
    };
  }

  /** Reads the events that are available after the first event. The number 2 may not be sent. */
  async read(source: AsyncIterator<unknown, unknown>): Promise<unknown[]> {
    const refuse = (event: unknown) => {
      if (event === 2) throw new Error("Not 2");
      return event;
    };
    const events = new AdaptedEvents(source, this, {
      check: refuse,
      adapt: (event, isLast) => [event, isLast()],
    });
    const stream = new EventStream(events, {
      write: (event) => event,
      fail: (thrown) => {
        this.notes.push(String(thrown));
        return new A2AError("Failed");
      },
      abort: () => this.notes.push("aborted"),
    });
    const { value } = await stream.next();
    return [value, stream.take(), ...(await all(stream))].filter((event) => event !== undefined);
  }
}

it.each(["events", "prepared"] as const)(
  "the %s of a service end if an event cannot be sent",
  async (kind) => {
    const sample = new Sample();
    const [first, failed, ...rest] = await sample.read(sample[kind]());
    expect([first, rest]).toEqual([[1, false], []]);
    expect(failed).toBeInstanceOf(A2AError);
    expect([...sample.notes].sort()).toEqual(["Error: Not 2", "ended"]);
  },
);
