import { once } from "node:events";
import { afterAll, describe, expect, it, vi } from "vitest";
import type { CallContext } from "../../generated/1.0/server/index.js";
import { startAgent, stopAgents } from "./agent.js";
import { expectAlive } from "./everywhere.js";
import { servedSubjects } from "./subjects.js";
import { endless, visits, watcher } from "./visits.js";

afterAll(stopAgents);

const visitors = servedSubjects.flatMap((subject) =>
  Object.entries(visits).map(([name, visit]) => ({
    name,
    visit,
    subject,
    title: subject.title,
  })),
);

describe.concurrent.each(visitors)(
  "a caller of $title that disconnects, over $name",
  ({ visit, subject }) => {
    const { samples, answers } = subject;
    const message = answers.message(samples.message);

    it("a disconnect in the middle of a stream aborts the signal, and the generator returns", async () => {
      const { seen, watch } = watcher();
      const agent = await startAgent(subject, {
        sendStreamingMessage: endless(subject, seen, watch),
      });
      const { leave } = visit(agent, "SendStreamingMessage");
      await vi.waitFor(() => expect(seen.events).toBeGreaterThan(2));
      leave();
      await vi.waitFor(() => expect(seen).toMatchObject({ begun: 1, aborted: 1, returned: 1 }));
      expect(agent.faults).toEqual([]);
      await expectAlive(agent);
    });

    it.each([0, 2])(
      "a disconnect closes a source that waits for an event after %i",
      async (events) => {
        const { seen, watch } = watcher();
        const agent = await startAgent(subject, {
          sendStreamingMessage(_: unknown, context: CallContext) {
            watch(context);
            let finish: ((result: IteratorResult<unknown>) => void) | undefined;
            return {
              [Symbol.asyncIterator]: () => ({
                next: () =>
                  seen.events++ < events
                    ? Promise.resolve({ done: false, value: answers.task(samples.task("t1")) })
                    : new Promise((resolve) => (finish = resolve)),
                return() {
                  seen.returned++;
                  finish?.({ done: true, value: undefined });
                  return Promise.resolve({ done: true, value: undefined });
                },
              }),
            };
          },
        });
        const { leave } = visit(agent, "SendStreamingMessage");
        await vi.waitFor(() => expect(seen.events).toBe(events + 1));
        leave();
        await vi.waitFor(() => expect(seen).toMatchObject({ begun: 1, aborted: 1, returned: 1 }));
        expect(agent.faults).toEqual([]);
      },
    );

    it("a disconnect aborts the signal of a unary call, and later events do no harm", async () => {
      const { seen, watch } = watcher();
      const endings = [
        () => message,
        () => Promise.reject(new DOMException("aborted", "AbortError")),
        () => Promise.reject(new Error("too late")),
      ];
      const agent = await startAgent(subject, {
        async sendMessage(_: unknown, context: CallContext) {
          watch(context);
          await once(context.signal, "abort");
          const ending = endings[seen.returned++];
          return ending?.() ?? message;
        },
      });
      for (const count of [1, 2, 3]) {
        const { leave } = visit(agent, "SendMessage");
        await vi.waitFor(() => expect(seen.begun).toBe(count));
        leave();
        await vi.waitFor(() => expect(seen.returned).toBe(count));
      }
      // Work may end with its signal; any later error is a failure.
      await vi.waitFor(() => expect(agent.faults).toEqual([new Error("too late")]));
    });

    it("an error of a generator while it is closed is not sent to the caller", async () => {
      const { seen, watch } = watcher();
      const agent = await startAgent(subject, {
        async *sendStreamingMessage(_: unknown, context: CallContext) {
          try {
            yield* endless(subject, seen, watch)(_, context);
          } finally {
            // eslint-disable-next-line no-unsafe-finally -- The test covers errors that `finally` throws.
            throw new Error("cannot clean up");
          }
        },
      });
      const { leave } = visit(agent, "SendStreamingMessage");
      await vi.waitFor(() => expect(seen.events).toBeGreaterThan(1));
      leave();
      await vi.waitFor(() => expect(agent.faults).toEqual([new Error("cannot clean up")]));
      await expectAlive(agent);
    });
  },
);
