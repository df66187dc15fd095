// Measures open tasks in a separate process; open-tasks.full.test.ts bundles and runs it. Prints
// the size by kind of wait.
import { completed, working } from "../../../../../library/kit/turns/updates.js";
import { heapAfterCollection } from "../../../../hostile/load/collect.js";
import { kitAgent, message } from "../../../../support/kit.js";

// Below the number of open tasks that one owner may have.
const count = 9_000;
/**
 * Opens tasks in two halves and returns the bytes per task of the second half, because other data
 * may grow during the first half.
 */
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
  async *"for a promise or its cancellation"({ untilAborted }) {
    yield working("Thinking");
    await untilAborted(new Promise<never>(() => undefined));
    return completed();
  },
  async *"for another message"({ pending }) {
    yield working("Thinking");
    await pending.next();
    return completed();
  },
};

async function bytesOfTurns(run: (typeof turns)[string]): Promise<number> {
  const agent = kitAgent({ run });
  const bytes = await bytesOf(async (from, to) => {
    for (let at = from; at < to; at += 1)
      await agent.send({
        ...message(`Say something about ${at}`),
        configuration: { returnImmediately: true },
      });
  });
  await agent.close();
  return bytes;
}

async function bytesOfReaders(): Promise<number> {
  const agent = kitAgent({
    limits: { perOwner: { maxStreams: Infinity } },
    async *run() {
      yield working("Thinking");
      await never;
      return completed();
    },
  });
  const open: unknown[] = [];
  const bytes = await bytesOf(async (from, to) => {
    for (let at = from; at < to; at += 1) {
      const events = (await agent.stream(`Say something about ${at}`))[Symbol.asyncIterator]();
      for (let seen = 0; seen < 2; seen += 1) await events.next();
      open.push(
        events,
        events.next().catch(() => undefined),
      );
    }
  });
  await agent.close();
  await Promise.all(open);
  return bytes;
}

const measured: Record<string, number> = {};
for (const [name, run] of Object.entries(turns))
  measured[`that waits ${name}`] = await bytesOfTurns(run);
measured["whose events one caller reads"] = await bytesOfReaders();
console.log(JSON.stringify(measured));
