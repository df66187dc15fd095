import { setTimeout } from "node:timers/promises";
import type { Line } from "../servers/line.js";
import type { Contestant } from "./agents.js";
import { linesTo, requestFor } from "./calls.js";
import { bytesOf } from "./usage.js";

/** Numbers of calls before the memory is measured. */
export interface Amounts {
  readonly messages: number;
  readonly tasks: number;
  readonly streams: number;
}

/** Memory of an agent in bytes. */
export interface Memory {
  /** The whole process, after it has responded to messages. */
  readonly atRest: number;
  /** The tasks that it keeps. */
  readonly tasks: number;
  /** One open stream, whose task waits; or the reason why the agent cannot keep the streams open. */
  readonly stream: number | string;
}

const connections = 16;

/** Time in which all streams must be open. */
const openingMs = 60_000;

/** Starts an agent, and measures its memory in the first version that it serves. */
export async function memoryOf(contestant: Contestant, amounts: Amounts): Promise<Memory> {
  const [version = "1.0"] = contestant.versions;
  const agent = await contestant.start(version, amounts.streams);
  const call = async (wish: "message" | "task", count: number): Promise<void> => {
    const lines = await linesTo(agent, requestFor(wish, version), connections);
    const each = Array.from(lines, async (line) => {
      for (let left = count / connections; left > 0; left -= 1) await line.call(() => undefined);
      line.close();
    });
    await Promise.all(each);
  };
  const settled = async (): Promise<number> => {
    await agent.settle();
    return bytesOf(agent.pid);
  };
  try {
    await call("message", amounts.messages);
    const atRest = await settled();
    await call("task", amounts.tasks);
    const withTasks = await settled();
    const lines = await linesTo(agent, requestFor("wait", version), amounts.streams);
    const opened = await openedOf(lines);
    const stream =
      opened === lines.length
        ? ((await settled()) - withTasks) / lines.length
        : `the agent opens ${opened} of ${lines.length} streams`;
    for (const line of lines) line.close();
    return { atRest, tasks: withTasks - atRest, stream };
  } finally {
    await agent.stop();
  }
}

/** Opens a stream on each line, and returns the number of streams that have had an event in time. */
async function openedOf(lines: readonly Line[]): Promise<number> {
  let opened = 0;
  const firsts = lines.map(
    (line) =>
      new Promise<void>((resolve) => {
        let isFirst = true;
        const seen = (): void => {
          if (isFirst) opened += 1;
          isFirst = false;
          resolve();
        };
        // A stream that ends is not open.
        line.call(seen).then(resolve, resolve);
      }),
  );
  await Promise.race([Promise.all(firsts), setTimeout(openingMs, undefined, { ref: false })]);
  return opened;
}
