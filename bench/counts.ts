import { createHook } from "node:async_hooks";
import { setImmediate, setTimeout } from "node:timers/promises";
import { createAgent, type Agent, type AgentOptions } from "../generated/1.0/index.js";
import {
  artifact,
  completed,
  taskService,
  working,
  type TurnGenerator,
} from "../generated/1.0/kit/index.js";
import { httpHandler, type HttpHandler } from "../generated/1.0/server/index.js";
import { makeAgent } from "./servers/host-ours.js";
import { answer, card, Gate, names, userMessage } from "./servers/work.js";

/** Resources that a unit of work takes, which do not depend on the speed of the machine. */
export interface Counts {
  /**
   * Promises, including one of the caller that waits for a response, and one for the text of its
   * body.
   */
  readonly promises: number;
  /** Bytes that are allocated on the heap. They depend on the version of Node. */
  readonly bytes: number;
}

/** Work to count. */
interface Work {
  readonly run: () => Promise<unknown>;
  /** Number of units, such as events, of one run. */
  readonly units: number;
  /** Number of runs before the count, and of counted runs. */
  readonly warmUp: number;
  readonly counted: number;
}

/** An observer, rates and an interceptor, whose cost for a request must stay small. */
const guards: Partial<AgentOptions> = {
  observe: () => undefined,
  rates: { perAddress: { perSecond: 1e6 }, perCaller: { perSecond: 1e6 } },
  authenticate: () => "ada",
  interceptors: [{ unary: (call, next) => next(call) }],
};

const agents: Readonly<Record<string, () => Agent>> = {
  "a message": () => makeAgent("message"),
  "a message, observed and limited": () => makeAgent("message", guards),
  "a task of a service": () => makeAgent("task"),
  "a task of the kit": () => createAgent({ card, service: taskService({ run: turn }) }),
  "a task of the kit, asynchronous": () =>
    createAgent({ card, service: taskService({ run: asyncTurn }) }),
};

function* turn(): TurnGenerator {
  yield artifact(names.artifactName, undefined, { id: names.artifactId }).finish(answer);
  return completed();
}

async function* asyncTurn(): TurnGenerator {
  yield artifact(names.artifactName, undefined, { id: names.artifactId }).finish(
    await Promise.resolve(answer),
  );
  return completed();
}

/** The requests of a binding, each with its URL and its body, and the id of a task in a response. */
interface Binding {
  readonly send: (configuration?: object) => SentRequest;
  readonly subscribe: (id: string) => SentRequest;
  readonly taskId: (response: never) => string;
}

interface SentRequest {
  readonly url: string;
  readonly body: unknown;
}

const params = { message: userMessage };

function rpc(method: string, params: unknown): SentRequest {
  return { url: "/rpc", body: { jsonrpc: "2.0", id: 1, method, params } };
}

const bindings: Readonly<Record<string, Binding>> = {
  "JSON-RPC": {
    send: (configuration) => rpc("SendMessage", { ...params, configuration }),
    subscribe: (id) => rpc("SubscribeToTask", { id }),
    taskId: ({ result }: { readonly result: { readonly task: { readonly id: string } } }) =>
      result.task.id,
  },
  "HTTP+JSON": {
    send: (configuration) => ({ url: "/rest/message:send", body: { ...params, configuration } }),
    subscribe: (id) => ({ url: `/rest/tasks/${id}:subscribe`, body: {} }),
    taskId: ({ task }: { readonly task: { readonly id: string } }) => task.id,
  },
};

type Request = Parameters<HttpHandler>[0];
type HttpResponse = NonNullable<Awaited<ReturnType<HttpHandler>>>;

/** Returns a function that creates equal requests, whose bodies are in memory. */
function requestsOf({ url, body }: SentRequest): () => Request {
  const text = JSON.stringify(body);
  const fields = {
    "content-type": "application/json",
    "a2a-version": "1.0",
    "content-length": String(text.length),
  };
  const peer = { address: "127.0.0.1", certificate: undefined };
  const headers = new Map(Object.entries(fields));
  return () => ({
    method: "POST",
    url,
    headers,
    peer,
    readBody: () => Promise.resolve(text),
    onClose: () => undefined,
  });
}

/** Sends a request, and returns its response. */
async function send(handler: HttpHandler, request: Request): Promise<HttpResponse> {
  const response = await handler(request);
  if (response?.status !== 200) throw new Error(`The agent refuses: ${JSON.stringify(response)}`);
  return response;
}

/** Reads the events of a response, and passes on the number of words in each chunk. */
async function readWords({ body }: HttpResponse, received: (words: number) => void): Promise<void> {
  if (body === undefined || typeof body === "string")
    throw new Error("The response must be a stream");
  for await (const chunk of body) {
    const words = chunk.split('"word ').length - 1;
    if (words > 0) received(words);
  }
}

/**
 * A talk in bursts of words, each of which is an event. The words of a burst are available at once,
 * and the next burst follows when all subscribers have the last one, and wait for the next: the
 * events are then always sent in the same groups.
 */
interface Talk {
  readonly bursts: number;
  readonly words: number;
}

/** Longer than many subscribers pause together before they read, in milliseconds. */
const pauseMs = 20;

/** Writes a talk. A gate opens when all subscribers have a burst, and before the first one. */
async function* talkIn({ bursts, words }: Talk, gate: Gate): TurnGenerator {
  let opened = gate.opened();
  yield working();
  const writer = artifact(names.artifactName, undefined, { id: names.artifactId });
  for (let burst = 0; burst < bursts; burst += 1) {
    await opened;
    opened = gate.opened();
    await setTimeout(words === 1 ? 0 : pauseMs);
    for (let word = 0; word < words; word += 1) yield writer.text(`word ${String(word)} `);
  }
  return completed();
}

/** Returns the work of a task whose events are sent to a number of subscribers. */
function subscribersOf(subscribers: number, talk: Talk, binding: Binding): Work {
  const gate = new Gate();
  const service = taskService({
    run: () => talkIn(talk, gate),
    limits: { perOwner: { maxStreams: 1_000 } },
  });
  const handler = handlerOf(createAgent({ card, service }));
  const begin = requestsOf(binding.send({ returnImmediately: true }));
  const run = async (): Promise<void> => {
    const { body } = await send(handler, begin());
    if (typeof body !== "string") throw new Error("The response must be a single text");
    const subscribe = requestsOf(binding.subscribe(binding.taskId(JSON.parse(body) as never)));
    const streams = await Promise.all(
      Array.from({ length: subscribers }, () => send(handler, subscribe())),
    );
    let left = subscribers * talk.words;
    const received = (words: number): void => {
      left -= words;
      if (left > 0) return;
      left = subscribers * talk.words;
      gate.open();
    };
    const reading = streams.map((stream) => readWords(stream, received));
    await setImmediate();
    gate.open();
    await Promise.all(reading);
  };
  const units = subscribers * talk.bursts * talk.words;
  return { run, units, warmUp: 6, counted: 4 };
}

/** Returns the work of a request. */
async function requestOf(agent: Agent, binding: Binding): Promise<Work> {
  const handler = handlerOf(agent);
  const request = requestsOf(binding.send());
  await send(handler, request());
  return { run: () => handler(request()), units: 1, warmUp: 1_500, counted: 200 };
}

function handlerOf(agent: Agent): HttpHandler {
  return httpHandler(agent, { jsonRpc: { path: "/rpc" }, rest: { path: "/rest" } });
}

async function repeat(run: () => Promise<unknown>, count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await run();
}

async function countsOf(work: Work): Promise<Counts> {
  const { run, units, warmUp, counted } = work;
  await repeat(run, warmUp);
  let promises = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === "PROMISE") promises += 1;
    },
  });
  hook.enable();
  await repeat(run, counted);
  hook.disable();
  await repeat(run, warmUp);
  return { promises: rounded(promises / (counted * units)), bytes: await allocated(work) };
}

/** Rounds a count, and the small counts of an event to tenths. */
function rounded(count: number): number {
  return count < 10 ? Math.round(count * 10) / 10 : Math.round(count);
}

/** Number of attempts without a smaller result after which the allocated bytes count as known. */
const attempts = 8;

/**
 * Returns the bytes that a unit allocates: the least of several attempts, as a compiler allocates,
 * too, and its code allocates less. How soon a busy machine compiles is not known, so attempts end
 * only when they no longer improve.
 */
async function allocated({ run, counted, units }: Work): Promise<number> {
  let least = Infinity;
  for (let left = attempts; left > 0; left -= 1) {
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    await repeat(run, counted);
    const bytes = (process.memoryUsage().heapUsed - before) / (counted * units);
    // The result is negative if garbage was collected in between, which the size of the young
    // generation prevents.
    if (bytes <= 0 || bytes >= least) continue;
    least = bytes;
    left = attempts;
  }
  return Math.round(least);
}

const requests: Record<string, Counts> = {};
const events: Record<string, Counts> = {};
for (const [kind, make] of Object.entries(agents))
  for (const [name, binding] of Object.entries(bindings))
    requests[`${kind}, ${name}`] = await countsOf(await requestOf(make(), binding));
const audiences: Readonly<Record<string, readonly [subscribers: number, talk: Talk]>> = {
  "an event to a subscriber": [1, { bursts: 50, words: 1 }],
  "an event to each of 100 subscribers": [100, { bursts: 4, words: 16 }],
};
for (const [kind, [count, talk]] of Object.entries(audiences))
  for (const [name, binding] of Object.entries(bindings))
    events[`${kind}, ${name}`] = await countsOf(subscribersOf(count, talk, binding));
console.log(JSON.stringify({ requests, events }));
