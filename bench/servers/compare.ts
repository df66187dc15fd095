import { measures, type Effort } from "../clock.js";
import { rate, type Result } from "../result.js";
import { buildPrograms, type Host, type Programs } from "./children.js";
import { keepBusy, type Line } from "./line.js";
import { checkSame } from "./same.js";
import type { Kind } from "./work.js";

/** One side of a comparison. */
export interface Side {
  /** Name in the results. */
  readonly name: string;
  /** Its program in `host.ts`, and the kind of its responses. */
  readonly host: string;
  readonly kind: Kind;
  readonly open: (host: Host) => Promise<readonly Line[]>;
  /** Parses a response, so that the responses of both sides can be compared. */
  readonly read: (response: Buffer) => unknown;
}

/** Two sides that do the same work. */
export interface Comparison {
  readonly name: string;
  readonly unit: string;
  readonly ours: Side;
  readonly peer: Side;
  /** Duration of a turn, if it differs from the default. */
  readonly turnMs?: number;
}

/** How a side is called. */
export type Wire = Pick<Side, "open" | "read">;

/** Longer turns for servers, so that caches and heap of a server are in use again in each turn. */
const times = { rounds: 7, turnMs: 500, warmUpMs: 1500 };

/**
 * Measures responses per second of CPU time of both sides of each comparison, one comparison after
 * the other.
 *
 * The environment variable `BENCH_SERVERS` selects comparisons whose names contain its value.
 */
export async function* compareAll(
  comparisons: readonly Comparison[],
  { quick }: Effort,
): AsyncGenerator<Result> {
  const only = process.env["BENCH_SERVERS"] ?? "";
  const chosen = comparisons.filter(({ name }) => name.includes(only));
  if (chosen.length === 0) throw new Error(`No comparison has a name with "${only}"`);
  const effort = quick ? { rounds: 1, turnMs: 1, warmUpMs: 1 } : times;
  const programs = await buildPrograms();
  try {
    for (const comparison of chosen) yield await compare(programs, comparison, effort);
  } finally {
    await programs.remove();
  }
}

/** A running side of a comparison. */
interface Running {
  readonly host: Host;
  readonly lines: readonly Line[];
}

async function compare(
  programs: Programs,
  comparison: Comparison,
  effort: typeof times,
): Promise<Result> {
  const { name, ours, peer, unit, turnMs = effort.turnMs } = comparison;
  const running: Running[] = [];
  const start = async (side: Side): Promise<Running> => {
    const host = await programs.start(side.host, side.kind);
    const started = { host, lines: await side.open(host) };
    running.push(started);
    return started;
  };
  try {
    const [a, b] = await Promise.all([start(ours), start(peer)]);
    checkSame(name, await responsesOf(ours, a), await responsesOf(peer, b));
    for (const { lines } of running) await keepBusy(lines, effort.warmUpMs);
    const turn = async ({ host, lines }: Running): Promise<number> => {
      const before = await host.secondsUsed();
      const responses = await keepBusy(lines, Math.min(turnMs, effort.turnMs));
      return responses / ((await host.secondsUsed()) - before);
    };
    const found = await measures({ ours: () => turn(a), peer: () => turn(b) }, effort.rounds);
    return rate(name, found.ours, peer.name, found.peer, unit);
  } finally {
    for (const { lines } of running) for (const line of lines) line.close();
    await Promise.all(running.map(({ host }) => host.stop()));
  }
}

async function responsesOf(side: Side, { lines: [line] }: Running): Promise<readonly unknown[]> {
  const responses = (await line?.responses()) ?? [];
  return responses.map((response) => side.read(response));
}
