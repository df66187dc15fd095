import { median, type Effort } from "../clock.js";
import type { Point } from "../point.js";
import { buildPrograms, type Host } from "../servers/children.js";
import { begin, go, jsonRpc, withTaskId } from "../servers/fan-out-line.js";
import { answerEnd, eventCounter, HttpLine, type Reading } from "../servers/http-line.js";
import type { Kind } from "../servers/work.js";

const sizes = [1, 10, 100, 1_000, 10_000];

/**
 * Number of connections that are opened at once. The queue of a listening socket has room for a few
 * hundred.
 */
const atOnce = 200;

/**
 * Words at the start of a task whose latency does not count: code is compiled and caches are
 * filled.
 */
const warmUpWords = 2;

/**
 * Measures an agent on the task kit whose task has many subscribers: events per second of CPU time
 * of the agent, where an event counts once for each subscriber, and the time from the turn to a
 * subscriber.
 */
export async function* measure({ quick }: Effort): AsyncGenerator<Point> {
  const programs = await buildPrograms();
  try {
    for (const x of quick ? [1, 10] : sizes) {
      const rate = await withHost(programs, "shortFanOut", (host) =>
        rateOf(host, x, quick ? 1 : 1_000),
      );
      yield { panel: "rate", series, x, y: rate };
      const words = await withHost(programs, "timedFanOut", (host) => latencies(host, x));
      yield { panel: "median", series, x, y: median(words.map(median)) };
      yield { panel: "last", series, x, y: median(words.map((times) => Math.max(...times))) };
    }
  } finally {
    await programs.remove();
  }
}

const series = "task kit";

async function withHost<T>(
  programs: Awaited<ReturnType<typeof buildPrograms>>,
  kind: Kind,
  use: (host: Host) => Promise<T>,
): Promise<T> {
  const host = await programs.start("kit", kind);
  try {
    return await use(host);
  } finally {
    await host.stop();
  }
}

/**
 * Returns the events per second of CPU time. A first task with fewer subscribers compiles the code.
 */
async function rateOf(host: Host, subscribers: number, ms: number): Promise<number> {
  await runTask(host, Math.min(subscribers, 100), () => eventCounter(() => undefined));
  let [events, seconds] = [0, 0];
  const start = performance.now();
  do {
    seconds += await runTask(host, subscribers, () => eventCounter((count) => (events += count)));
  } while (performance.now() < start + ms);
  return events / seconds;
}

/** Returns the times in milliseconds from each word of a turn to all subscribers. */
async function latencies(host: Host, subscribers: number): Promise<readonly (readonly number[])[]> {
  const words = new Map<string, number[]>();
  await runTask(host, subscribers, () => {
    const count = eventCounter(() => undefined);
    return (chunk) => {
      const now = performance.timeOrigin + performance.now();
      for (const [, at = ""] of chunk.toString("latin1").matchAll(/"at (\d+\.\d+) "/g)) {
        const times = words.get(at) ?? [];
        words.set(at, times);
        times.push(now - Number(at));
      }
      return count(chunk);
    };
  });
  return [...words.values()].slice(warmUpWords);
}

/**
 * Runs a task with subscribers. Returns the CPU time in seconds that the host has used from the
 * first word on.
 */
async function runTask(host: Host, subscribers: number, readingOf: () => Reading): Promise<number> {
  const lines: HttpLine[] = [];
  const ends: Promise<void>[] = [];
  const open = async (): Promise<HttpLine> => {
    const line = new HttpLine(host.httpPort);
    lines.push(line);
    await line.open();
    return line;
  };
  try {
    const [starter, opener] = [await open(), await open()];
    const id = await new Promise<string>((resolve, reject) => {
      const end = starter.exchange(begin, withTaskId(resolve));
      end.catch(reject);
      ends.push(end);
    });
    const subscribe = async (): Promise<void> => {
      const line = await open();
      const reading = readingOf();
      await new Promise<void>((resolve, reject) => {
        const read: Reading = (chunk) => {
          resolve();
          return reading(chunk);
        };
        const end = line.exchange(jsonRpc(1, "SubscribeToTask", { id }), read);
        end.catch(reject);
        ends.push(end);
      });
    };
    for (let left = subscribers; left > 0; left -= atOnce)
      await Promise.all(Array.from({ length: Math.min(atOnce, left) }, subscribe));
    const before = await host.secondsUsed();
    await opener.exchange(
      go,
      answerEnd(() => undefined),
    );
    await Promise.all(ends);
    return (await host.secondsUsed()) - before;
  } finally {
    for (const line of lines) line.close();
  }
}
