import { expect, it } from "vitest";
import { completed, working } from "../../../templates/kit/updates.js";
import { heapAfterCollection } from "../../hostile/load/collect.js";
import { kitAgent, message } from "../../support/kit.js";

const count = 10_000;
/** Opens that many tasks in two halves; returns the bytes of one: of the second half, where something else grew beside the first. */
async function bytesOf(begin: (from: number, to: number) => Promise<void>): Promise<number> {
  await begin(0, 100);
  const taken: number[] = [];
  for (let at = 100; at < count; at += count / 2) {
    const before = await heapAfterCollection();
    await begin(at, at + count / 2);
    taken.push((await heapAfterCollection()) - before);
  }
  return Math.min(...taken) / (count / 2);
}

const never = new Promise<never>(() => undefined);

/** Turns that have said something, and wait for what does not come. */
const turns: Readonly<Record<string, Parameters<typeof kitAgent>[0]["run"]>> = {
  async *"for a promise"() {
    yield working("Thinking");
    await never;
    return completed();
  },
  async *"for a promise or its cancellation"({ race }) {
    yield working("Thinking");
    await race(new Promise<never>(() => undefined));
    return completed();
  },
  async *"for another message"({ pending }) {
    yield working("Thinking");
    await pending.next();
    return completed();
  },
};

it.each(Object.entries(turns))("an open task that waits %s takes less than 10 kB", async (_, run) => {
  const agent = kitAgent({ run });
  const begin = async (from: number, to: number): Promise<void> => {
    for (let at = from; at < to; at += 1)
      await agent.send({ ...message(`Say something about ${at}`), configuration: { returnImmediately: true } });
  };
  const bytes = await bytesOf(begin);
  await agent.close();
  expect(bytes).toBeLessThan(10_000);
});

it("an open task whose events one caller reads takes less than 10 kB", async () => {
  const agent = kitAgent({
    async *run() {
      yield working("Thinking");
      await never;
      return completed();
    },
  });
  const open: unknown[] = [];
  const begin = async (from: number, to: number): Promise<void> => {
    for (let at = from; at < to; at += 1) {
      const events = (await agent.stream(`Say something about ${at}`))[Symbol.asyncIterator]();
      for (let seen = 0; seen < 2; seen += 1) await events.next();
      open.push(
        events,
        events.next().catch(() => undefined),
      );
    }
  };
  const bytes = await bytesOf(begin);
  await agent.close();
  await Promise.all(open);
  expect(bytes).toBeLessThan(10_000);
});
