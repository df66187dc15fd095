import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { formatEvent, keepAlive, readEvents } from "../../../library/runtime/http/sse.js";
import { v03, v10 } from "../subjects.js";
import type { Subject } from "../subject.js";
import { changed } from "../../support/random/json.js";
import type { Random } from "../../support/random/random.js";
import { damaged, smallerBytes } from "./bytes.js";
import type { Campaign } from "../../support/campaign.js";

interface Case {
  readonly bytes: Uint8Array;
  /** Sizes of the chunks into which the bytes are split. */
  readonly cuts: readonly number[];
  readonly limit: number;
}

const lines = [
  "data",
  "data:",
  "data: ",
  "data:  x",
  "dataset: no",
  ": comment",
  "event: x",
  "id",
  "retry: 1",
  "",
  "",
];
const ends = ["\n", "\r", "\r\n", "\n", "\n\r", "\u2028", "\0"];
const letters = Array.from('a: {"\\é€😀\ufeff\u0085');

/**
 * Event streams with random chunk boundaries. The parser must read them as the standard defines,
 * independent of the boundaries.
 */
export const eventStreams: Campaign<Case> = {
  name: "streams in the parser of events",
  open: () => ({
    generate(random) {
      const bytes = Buffer.from(streamText(random));
      return {
        bytes: random.oneIn(4) ? damaged(bytes, random) : bytes,
        cuts: cutsFor(random),
        limit: random.oneIn(2) ? 1_000_000 : 1 + random.below(40),
      };
    },
    async attempt({ bytes, cuts, limit }) {
      const expected = reference(new TextDecoder().decode(bytes, { stream: true }), limit);
      const found = await readAll(chunksOf(bytes, cuts), limit);
      if (isDeepStrictEqual(found, expected)) return found.isTooLong ? "too long" : "read";
      throw new Error(
        `the stream is read as ${JSON.stringify(found)}, and not ${JSON.stringify(expected)}`,
      );
    },
    *smaller({ bytes, cuts, limit }) {
      for (const smaller of smallerBytes(bytes)) yield { bytes: smaller, cuts, limit };
      if (cuts.length > 0) yield { bytes, cuts: cuts.slice(1), limit };
    },
    print: ({ bytes, cuts, limit }) =>
      `${JSON.stringify(Buffer.from(bytes).toString())} cut at ${cuts.join()} to ${limit}`,
  }),
};

function streamText(random: Random) {
  const line = () => {
    if (random.oneIn(3)) return random.list(10, () => random.pick(letters)).join("");
    const start = random.pick(lines);
    return random.oneIn(2)
      ? start
      : `${start}${random.list(12, () => random.pick(letters)).join("")}`;
  };
  const part = () => {
    if (random.oneIn(8)) return keepAlive;
    return random.oneIn(4) ? formatEvent(line()) : `${line()}${random.pick(ends)}`;
  };
  return `${random.oneIn(10) ? "\ufeff" : ""}${random.list(14, part).join("")}`;
}

function cutsFor(random: Random) {
  const most = random.pick([1, 2, 3, 20]);
  return random.list(60, () => random.below(most + 1));
}

interface Read {
  readonly events: readonly string[];
  readonly isTooLong: boolean;
}

async function readAll(body: AsyncIterable<Uint8Array>, maxEventBytes: number): Promise<Read> {
  const events: string[] = [];
  try {
    for await (const { data } of readEvents(body, { maxEventBytes })) events.push(data);
  } catch (error) {
    if (error instanceof RangeError) return { events, isTooLong: true };
    throw error;
  }
  return { events, isTooLong: false };
}

/**
 * Reference implementation of the standard for a whole text and its last event: simple and slow,
 * line by line.
 */
function reference(text: string, limit: number): Read {
  const events: string[] = [];
  const all = text.split(/\r\n|\r|\n/);
  let data: string[] = [];
  let type = "";
  // Without any data, the first line that begins with a brace starts the only event.
  let bare: string[] | undefined = [];
  for (const [index, line] of all.entries()) {
    // Each line after the first line uses additional memory.
    const held = data.reduce((sum, one) => sum + one.length + 1, 64 * Math.max(0, data.length - 1));
    const bareLength = bare?.reduce((sum, one) => sum + one.length + 65, 0) ?? 0;
    if (held + type.length + bareLength + line.length > limit) return { events, isTooLong: true };
    const isLast = index === all.length - 1;
    const colon = line.indexOf(":");
    if (line === "" && !isLast && data.length > 0) events.push(data.join("\n"));
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") bare = undefined;
    else if (bare?.length || line.trimStart().startsWith("{")) bare?.push(line);
    if (line === "" && !isLast) [data, type] = [[], ""];
    else if (name === "data") data.push(value);
    else if (name === "event") type = value;
    if (isLast && data.length > 0) events.push(data.join("\n"));
    else if (isLast && bare?.length) events.push(bare.map((one) => `${one}\n`).join(""));
  }
  return { events, isTooLong: false };
}

async function* chunksOf(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  let start = 0;
  for (const cut of cuts) yield bytes.subarray(start, (start += cut));
  yield bytes.subarray(start);
}

interface Call {
  readonly version: string;
  readonly transport: "jsonRpc" | "rest";
  readonly bytes: Uint8Array;
  readonly cuts: readonly number[];
  /** Whether the connection breaks at the end. */
  readonly breaks: boolean;
}

/**
 * Streams of events that an agent answers with, which clients read, or refuse with an error of
 * theirs.
 */
export const answers: Campaign<Call> = {
  name: "streams of events in the clients",
  open: () => ({
    generate(random) {
      const subject = random.pick([v10, v03]);
      const transport = random.pick(["jsonRpc", "rest"] as const);
      const bytes = Buffer.from(
        random.list(4, () => eventFor(subject, transport, random)).join(""),
      );
      return {
        version: subject.version,
        transport,
        cuts: cutsFor(random),
        breaks: random.oneIn(6),
        bytes: random.oneIn(3) ? damaged(bytes, random) : bytes,
      };
    },
    async attempt({ cuts, ...call }) {
      const [whole, cut] = [
        await answerOf({ ...call, cuts: [] }),
        await answerOf({ ...call, cuts }),
      ];
      if (!isDeepStrictEqual(whole, cut))
        throw new Error(`cut it is ${JSON.stringify(cut)}, and else ${JSON.stringify(whole)}`);
      return whole.error ?? "read";
    },
    *smaller(call) {
      for (const bytes of smallerBytes(call.bytes)) yield { ...call, bytes };
      if (call.cuts.length > 0) yield { ...call, cuts: call.cuts.slice(1) };
    },
    print: ({ bytes, ...call }) =>
      `${JSON.stringify(Buffer.from(bytes).toString())} to ${JSON.stringify(call)}`,
  }),
};

function eventFor({ answers, samples }: Subject, transport: Call["transport"], random: Random) {
  const event = random.pick([
    answers.task(samples.task("t1")),
    answers.working,
    answers.invalid,
    answers.completed,
  ]);
  const given = random.oneIn(3)
    ? changed(event, random, ["task", "status", "state", "__proto__"])
    : event;
  const response = { jsonrpc: "2.0", id: 1, result: given };
  const error = { jsonrpc: "2.0", id: 1, error: { code: -32001, message: "no" } };
  const sent = transport === "rest" ? given : random.pick([response, response, response, error]);
  const data = random.oneIn(6) ? changed(sent, random, ["error", "id"]) : sent;
  return formatEvent(JSON.stringify(data, null, random.oneIn(4) ? 1 : 0));
}

interface Answer {
  readonly events: readonly unknown[];
  readonly error?: string;
}

async function answerOf({ version, transport, bytes, cuts, breaks }: Call): Promise<Answer> {
  const subject = version === "1.0" ? v10 : v03;
  const state = { isLeft: true };
  const chunks = chunksOf(bytes, cuts);
  const body = new ReadableStream<Uint8Array>({
    async pull(sink) {
      const next = await chunks.next();
      if (next.done !== true) return sink.enqueue(next.value);
      state.isLeft = false;
      if (breaks) sink.error(new TypeError("terminated"));
      else sink.close();
    },
    cancel: () => void (state.isLeft = false),
  });
  const fetch = async (): Promise<Response> =>
    new Response(body, { headers: { "content-type": "text/event-stream" } });
  const { A2AClient, A2AError, TransportError } = subject.classes;
  const client = new A2AClient({
    transport: subject.transports[transport]("http://agent/", { fetch }),
  });
  const events: unknown[] = [];
  let error: string | undefined;
  try {
    for await (const event of client.sendStreamingMessage({
      message: subject.samples.message,
    } as never)) {
      events.push(event);
    }
  } catch (thrown) {
    if (!(thrown instanceof A2AError) && !(thrown instanceof TransportError)) throw thrown;
    error = thrown.name;
  }
  client.close();
  await setImmediate();
  if (state.isLeft) throw new Error("the body was left open");
  return { events, ...(error !== undefined && { error }) };
}
