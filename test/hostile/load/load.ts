import { setTimeout as delay } from "node:timers/promises";
import { grpcTransport } from "../../../generated/1.0/client/grpc.js";
import { A2AClient, jsonRpcTransport, restTransport } from "../../../generated/1.0/index.js";
import { heapAfterCollection } from "./collect.js";
import { quantile } from "../../support/quantile.js";
import { startChild, type Child } from "./child.js";
import type { AgentReport, Pace } from "./protocol.js";
import {
  breakStream,
  grpcAddressOf,
  readStream,
  type Ending,
  type StreamResult,
  type TransportName,
} from "./streams.js";

/** How much load there is. */
export interface LoadOptions {
  readonly transport: TransportName;
  /** Streams at the same time. */
  readonly streams: number;
  /** Duration of the streams. */
  readonly seconds: number;
  /** The file with the program of the agent. */
  readonly program: string;
}

/** Result of a load test. */
export interface LoadResult {
  readonly transport: TransportName;
  readonly streams: Readonly<Record<Ending, number>>;
  readonly events: number;
  readonly eventsPerSecond: number;
  readonly unaryPerSecond: number;
  /** Milliseconds that half of the unary calls took at most, and 99 of 100. */
  readonly median: number;
  readonly slow: number;
  /**
   * Bytes by which the heap of agent and clients was larger at the peak and in the end than before.
   */
  readonly peak: number;
  readonly agentGrowth: number;
  readonly clientGrowth: number;
  /** Everything that went wrong. */
  readonly problems: readonly string[];
}

/** Unary calls at the same time. */
const callers = 8;

/** Bytes that the heaps may be larger in the end: compiled code, and the pools of the platform. */
const tolerance = 6 * 1024 * 1024;

/** Puts an agent under load over one transport, kills some clients, and checks for leaks. */
export async function putUnderLoad(options: LoadOptions): Promise<LoadResult> {
  const child = await startChild(options.program);
  try {
    // The first streams and calls load code and fill pools.
    await round(child, { ...options, streams: Math.ceil(options.streams / 4), seconds: 0.5 });
    const before = await settled(child);
    const own = await heapAfterCollection();
    const { results, unary, peak, seconds } = await round(child, options);
    const after = await settled(child);
    const events = results.reduce((sum, result) => sum + Math.max(0, result.events), 0);
    const clientGrowth = (await heapAfterCollection()) - own;
    return {
      transport: options.transport,
      streams: countsOf(results),
      events,
      eventsPerSecond: events / seconds,
      unaryPerSecond: unary.length / seconds,
      median: quantile(unary, 0.5),
      slow: quantile(unary, 0.99),
      peak: peak - before.heap,
      agentGrowth: after.heap - before.heap,
      clientGrowth,
      problems: [
        ...results.flatMap(({ ending, problem }) =>
          problem === undefined ? [] : [`a stream (${ending}): ${problem}`],
        ),
        ...leftovers(before, after),
        ...(clientGrowth > tolerance
          ? [`the heap of the clients grew by ${clientGrowth} bytes`]
          : []),
      ],
    };
  } finally {
    await child.close();
  }
}

interface Round {
  readonly results: readonly StreamResult[];
  readonly unary: readonly number[];
  readonly peak: number;
  readonly seconds: number;
}

async function round(
  child: Child,
  { transport, streams, seconds }: Omit<LoadOptions, "program">,
): Promise<Round> {
  // So many events a second that the machine is busy, and not only with them.
  const everyMs = Math.max(40, streams / 3);
  const pace: Pace = { events: Math.max(4, Math.round((seconds * 1000) / everyMs)), everyMs };
  const clients = Array.from({ length: 4 }, () => clientOf(transport, child));
  const start = performance.now();
  const running = Array.from({ length: streams }, async (_, index) => {
    const ending = endingOf(index);
    if (ending === "broken")
      return await breakStream(transport, child, pace, seconds * 500 + (index % 97));
    return await readStream(
      pick(clients, index),
      pace,
      ending,
      1 + (index % Math.floor(pace.events / 2)),
    );
  });
  const all = Promise.all(running);
  let isOver = false;
  const over = all.finally(() => (isOver = true));
  const calls = Promise.all(
    Array.from({ length: callers }, (_, index) => callUntil(pick(clients, index), () => isOver)),
  );
  await delay(seconds * 500);
  const { heap: peak } = await child.report("now");
  const [results, unary] = [await over, (await calls).flat()];
  const elapsed = (performance.now() - start) / 1000;
  for (const client of clients) client.close();
  return { results, unary, peak, seconds: elapsed };
}

function clientOf(transport: TransportName, child: Child) {
  const address = grpcAddressOf(transport, child);
  if (address !== undefined)
    return new A2AClient({ transport: grpcTransport(`http://${address}`) });
  const { url } = child;
  return new A2AClient({
    transport: transport === "rest" ? restTransport(url) : jsonRpcTransport(`${url}rpc`),
  });
}

function pick<T>(values: readonly T[], index: number): T {
  const value = values[index % values.length];
  if (value === undefined) throw new Error("There is nothing to pick from");
  return value;
}

/** Of ten streams, seven run to their end, and three are killed in three different ways. */
function endingOf(index: number): Ending {
  return (["aborted", "left", "broken"] as const)[index % 10] ?? "whole";
}

/** Makes one call after another, and gives how long each took, in milliseconds. */
async function callUntil(client: A2AClient, isOver: () => boolean) {
  const times: number[] = [];
  for (let count = 0; !isOver(); count += 1) {
    const start = performance.now();
    const text = `call ${count}`;
    const { message } = await client.sendMessage({
      message: { messageId: "m", role: "ROLE_USER", parts: [{ text }] },
    });
    if (message?.parts[0]?.text !== text)
      throw new Error(`a call was answered with ${JSON.stringify(message)}`);
    times.push(performance.now() - start);
  }
  return times;
}

/** Waits until the agent has let go of everything, or ought to have, and gives its report. */
async function settled(child: Child) {
  let report = await child.report("settle");
  for (
    let tries = 0;
    tries < 60 && !(report.opened === report.returned && report.connections === 0);
    tries += 1
  ) {
    await delay(100);
    report = await child.report("settle");
  }
  return report;
}

function leftovers(before: AgentReport, after: AgentReport) {
  const problems = after.faults.map((fault) => `the agent reported ${fault}`);
  if (after.opened !== after.returned)
    problems.push(`${after.opened - after.returned} streams were left running`);
  if (after.connections > 0) problems.push(`${after.connections} connections were left open`);
  for (const [kind, count] of Object.entries(after.resources)) {
    const more = count - (before.resources[kind] ?? 0);
    // The connection of a client over gRPC may need a moment more than its last call.
    if (more > 0 && kind !== "Immediate")
      problems.push(`${more} resources of the kind ${kind} were left`);
  }
  const growth = after.heap - before.heap;
  if (growth > tolerance) problems.push(`the heap of the agent grew by ${growth} bytes`);
  return problems;
}

function countsOf(results: readonly StreamResult[]): Record<Ending, number> {
  const counts = { whole: 0, aborted: 0, left: 0, broken: 0 };
  for (const { ending } of results) counts[ending] += 1;
  return counts;
}
