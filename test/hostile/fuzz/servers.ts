import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { startAgent, stopAgents, type TestAgent } from "../agent.js";
import { variedSubjects } from "../subjects.js";
import type { Subject } from "../subject.js";
import { get } from "../wire.js";
import { eventsOf } from "../../support/raw.js";
import { smallerBytes } from "./bytes.js";
import type { Campaign } from "../../support/campaign.js";
import type { Random } from "../../support/random/random.js";
import type { Guarded } from "./guarded.js";
import { httpCase, rawRequest, type HttpCase } from "./requests.js";

/** The codes of JSON-RPC errors that are the fault of the caller. */
const codes: ReadonlySet<unknown> = new Set([-32700, -32600, -32601, -32602, -32005, -32009]);

/** Requests of all kinds to the handler for the Web platform. */
export const webRequests: Campaign<HttpCase> = webRequestsTo();

/** Requests of all kinds to the handler for the Web platform, of agents that may require tokens. */
export function webRequestsTo(setup?: Guarded): Campaign<HttpCase> {
  return {
    name: `requests to fetchHandler${setup === undefined ? "" : " with everything switched on"}`,
    async open() {
      const agents = await startAll(setup);
      return {
        limitMs: 2_000,
        generate: (random) =>
          withToken(httpCase(random.pick(variedSubjects), random), random, setup),
        async attempt(given) {
          const agent = agentOf(agents, given.version);
          const request = webRequest(given);
          if (request === undefined) return "no request";
          const { pathname } = new URL(request.url);
          const response = await agent.fetch(request);
          const answer = {
            status: response.status,
            headers: response.headers,
            text: await response.text(),
          };
          const outcome = judge(agent.subject, {
            ...answer,
            isRpc: isRpc(pathname),
            method: given.method,
          });
          expectNoFaults(agent);
          return outcome;
        },
        smaller: smallerRequests,
        print: ({ body, ...rest }) =>
          `${JSON.stringify(rest)} with ${JSON.stringify(Buffer.from(body).toString())}`,
        close: () => closeAll(agents, setup),
      };
    },
  };
}

interface RawCase {
  readonly version: string;
  readonly bytes: Uint8Array;
  /** Sizes of the writes into which the bytes are split. */
  readonly cuts: readonly number[];
  /** Whether the caller leaves without waiting for the answer. */
  readonly leaves: boolean;
}

/** Bytes that may be HTTP, sent to the listener for Node over bare connections. */
export const rawConnections: Campaign<RawCase> = rawConnectionsTo();

/** Bytes that may be HTTP, sent to the listener for Node of agents that may require tokens. */
export function rawConnectionsTo(setup?: Guarded): Campaign<RawCase> {
  return {
    name: `connections to nodeListener${setup === undefined ? "" : " with everything switched on"}`,
    async open() {
      const agents = await startAll(setup);
      return {
        limitMs: 4_000,
        generate(random) {
          const subject = random.pick(variedSubjects);
          const many = random.oneIn(4) ? 3 : 1;
          const bytes = Buffer.concat(random.list(many - 1, () => one()).concat([one()]));
          function one() {
            return rawRequest(withToken(httpCase(subject, random), random, setup), random);
          }
          const cuts = random.list(3, () => random.below(bytes.length + 1));
          return { version: subject.version, bytes, cuts, leaves: random.oneIn(8) };
        },
        async attempt({ version, ...given }) {
          const agent = agentOf(agents, version);
          const outcome = await converse(agent, given);
          expectNoFaults(agent);
          return outcome;
        },
        *smaller(given) {
          for (const bytes of smallerBytes(given.bytes)) yield { ...given, bytes };
          if (given.cuts.length > 0) yield { ...given, cuts: [] };
        },
        print: ({ bytes, ...rest }) =>
          `${JSON.stringify(Buffer.from(bytes).toString("latin1"))} ${JSON.stringify(rest)}`,
        close: () => closeAll(agents, setup),
      };
    },
  };
}

/** Starts an agent of each version. */
export async function startAll(setup?: Guarded): Promise<TestAgent[]> {
  const options = setup === undefined ? {} : { agent: setup.agent };
  return Promise.all(variedSubjects.map((subject) => startAgent(subject, {}, options)));
}

/** Adds a token to a request, unless the agents check none. */
export function withToken<Case extends Pick<HttpCase, "headers">>(
  given: Case,
  random: Random,
  setup: Guarded | undefined,
): Case {
  const header = setup && authorization(setup, random);
  return header === undefined
    ? given
    : { ...given, headers: [...given.headers, ["authorization", header]] };
}

/** Returns the header with a token: mostly a valid token, so that requests are read at all. */
function authorization({ token }: Guarded, random: Random) {
  if (random.oneIn(10)) return undefined;
  const [header = "", claims = "", signature = ""] = token.split(".");
  const changed = [
    `${header}.${claims}.`,
    `${header}..${signature}`,
    `${token}x`,
    "a".repeat(5_000),
    "x.y.z",
    "",
  ];
  return `Bearer ${random.oneIn(8) ? random.pick(changed) : token}`;
}

/** Returns the agent of a version. */
export function agentOf(agents: readonly TestAgent[], version: string): TestAgent {
  const agent = agents.find(({ subject }) => subject.version === version);
  if (agent === undefined) throw new Error(`Missing agent of ${version}`);
  return agent;
}

/** Expects that agents still respond and have no open connections, then stops them. */
export async function closeAll(agents: readonly TestAgent[], setup?: Guarded): Promise<void> {
  for (const agent of agents) {
    const { base } = agent.subject;
    const headers = setup && { authorization: `Bearer ${setup.token}` };
    const ask = () => get(agent, `${base}/tasks/t1`, headers);
    const first = await ask();
    // One call in many exceeds the rate.
    const response = first.status === 429 ? await ask() : first;
    if (response.status !== 200)
      throw new Error(`afterwards a good request is answered with ${response.status}`);
    let left = 1;
    for (let tries = 0; tries < 40 && left > 0; tries += 1) {
      left = await new Promise<number>((resolve) =>
        agent.server.getConnections((_, count) => resolve(count)),
      );
      if (left > 0) await delay(50);
    }
    if (left > 0) throw new Error(`${left} connections were left open`);
  }
  await stopAgents();
}

/** Throws if an agent has reported an internal error. */
export function expectNoFaults({ faults }: TestAgent): void {
  const [fault] = (faults as unknown[]).splice(0);
  if (fault !== undefined)
    throw new Error("the agent reported an internal error", { cause: fault });
}

function webRequest({ method, target, headers, body }: HttpCase): Request | undefined {
  try {
    const bodiless = method === "GET" || method === "HEAD";
    const all = headers.map(([name, value]): [string, string] => [name, value]);
    return new Request(`http://agent${target}`, {
      method,
      headers: all,
      ...(bodiless ? {} : { body }),
    });
  } catch {
    return undefined;
  }
}

function isRpc(path: string) {
  return path === "/rpc" || path === "/rpc/";
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly isRpc: boolean;
  readonly method: string;
}

/**
 * Classifies a response. Throws if it is not valid in the protocol or reports an internal error.
 */
function judge(subject: Subject, answer: Answer) {
  const { status, headers, text, method } = answer;
  const type = headers.get("content-type")?.split(";")[0] ?? "";
  if (status >= 500) throw new Error(`the answer is ${status}: ${text}`);
  if (method === "HEAD" || status === 304 || status === 204) return `${status}`;
  if (type === "text/event-stream") {
    const events = eventsOf(answer).length;
    return `stream of ${events === 1 ? "one" : "several"}`;
  }
  // An unknown path and the path of the card do not belong to a transport.
  if (type === "text/plain" && (status === 404 || status === 405)) return `plain ${status}`;
  if (!/^application\/(?:a2a\+)?json$/.test(type))
    throw new Error(`the answer is ${status} ${type}: ${text}`);
  const json = JSON.parse(text) as {
    readonly error?: { readonly code?: unknown };
    readonly jsonrpc?: unknown;
  };
  if (status === 401 || status === 403 || status === 429) return `refused with ${status}`;
  if (answer.isRpc) {
    if (json.jsonrpc !== "2.0") throw new Error(`the response is not a JSON-RPC response: ${text}`);
    if (json.error !== undefined && !codes.has(json.error.code))
      throw new Error(`the answer blames the agent: ${text}`);
    return json.error === undefined ? "JSON-RPC result" : `JSON-RPC ${String(json.error.code)}`;
  }
  if (status !== 200 && typeof subject.httpError(json, status)?.reason !== "string")
    throw new Error(`the response is not a protocol error: ${status} ${text}`);
  return `HTTP+JSON ${status}`;
}

async function converse(agent: TestAgent, given: Omit<RawCase, "version">) {
  const socket = connect({ port: agent.port, host: "127.0.0.1", allowHalfOpen: true });
  const answer = readAll(socket);
  let start = 0;
  for (const cut of given.cuts) {
    socket.write(given.bytes.subarray(start, Math.max(start, cut)));
    start = Math.max(start, cut);
    await new Promise((resolve) => setImmediate(resolve));
  }
  socket.write(given.bytes.subarray(start));
  if (given.leaves) {
    socket.destroy();
    return "left";
  }
  socket.end();
  return judgeRaw(await answer);
}

async function readAll(socket: Socket) {
  const chunks: Buffer[] = [];
  const timer = setTimeout(() => socket.destroy(new Error("the connection hangs")), 10_000);
  try {
    for await (const chunk of socket) chunks.push(chunk as Buffer);
  } catch (error) {
    if (error instanceof Error && error.message === "the connection hangs") throw error;
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
  return Buffer.concat(chunks).toString("latin1");
}

function judgeRaw(text: string) {
  const statuses = [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status));
  if (text !== "" && !text.startsWith("HTTP/1.1 "))
    throw new Error(`the response is not HTTP: ${text}`);
  const bad = statuses.find((status) => status >= 500);
  if (bad !== undefined) throw new Error(`the answer is ${bad}: ${text}`);
  return statuses.length === 0
    ? "closed"
    : statuses.length === 1
      ? String(statuses[0])
      : "several answers";
}

function* smallerRequests(given: HttpCase): Iterable<HttpCase> {
  for (const body of smallerBytes(given.body)) yield { ...given, body };
  for (const index of given.headers.keys())
    yield { ...given, headers: given.headers.filter((_, at) => at !== index) };
  const [path = "", query] = given.target.split("?");
  if (query !== undefined) yield { ...given, target: path };
}
