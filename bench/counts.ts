import { createHook } from "node:async_hooks";
import { createAgent, type Agent, type AgentOptions } from "../generated/1.0/index.js";
import {
  artifact,
  completed,
  taskService,
  type TurnGenerator,
} from "../generated/1.0/kit/index.js";
import { httpHandler, type HttpHandler } from "../generated/1.0/server/index.js";
import { makeAgent } from "./servers/host-ours.js";
import { answer, card, names, userMessage } from "./servers/work.js";

/** Resources that a request takes, which do not depend on the speed of the machine. */
export interface Counts {
  /**
   * Promises, including one of the caller that waits for the response, and one for the text of the
   * body.
   */
  readonly promises: number;
  /** Bytes that are allocated on the heap. They depend on the version of Node. */
  readonly bytes: number;
}

const warmUp = 1_500;
const counted = 200;

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

const params = { message: userMessage };
const bindings = {
  "JSON-RPC": { url: "/rpc", body: { jsonrpc: "2.0", id: 1, method: "SendMessage", params } },
  "HTTP+JSON": { url: "/rest/message:send", body: params },
};

type Request = Parameters<HttpHandler>[0];

/** Returns a function that creates equal requests, whose bodies are in memory. */
function requestsOf({
  url,
  body,
}: {
  readonly url: string;
  readonly body: unknown;
}): () => Request {
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

async function send(handler: HttpHandler, request: () => Request, count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) {
    const response = await handler(request());
    if (response?.status !== 200) throw new Error(`The agent refuses: ${JSON.stringify(response)}`);
  }
}

async function countsOf(handler: HttpHandler, request: () => Request): Promise<Counts> {
  await send(handler, request, warmUp);
  let promises = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === "PROMISE") promises += 1;
    },
  });
  hook.enable();
  await send(handler, request, counted);
  hook.disable();
  await send(handler, request, warmUp);
  return { promises: Math.round(promises / counted), bytes: await allocated(handler, request) };
}

/**
 * Returns the bytes that a request allocates: the least of several attempts, as a compiler
 * allocates, too.
 */
async function allocated(handler: HttpHandler, request: () => Request): Promise<number> {
  let least = Infinity;
  for (let attempt = 0; attempt < 4; attempt += 1) {
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    await send(handler, request, counted);
    const bytes = (process.memoryUsage().heapUsed - before) / counted;
    // The result is negative if garbage was collected in between, which the size of the young
    // generation prevents.
    if (bytes > 0) least = Math.min(least, bytes);
  }
  return Math.round(least);
}

const found: Record<string, Counts> = {};
for (const [kind, make] of Object.entries(agents)) {
  const handler = httpHandler(make(), { jsonRpc: { path: "/rpc" }, rest: { path: "/rest" } });
  for (const [binding, request] of Object.entries(bindings))
    found[`${kind}, ${binding}`] = await countsOf(handler, requestsOf(request));
}
console.log(JSON.stringify(found));
