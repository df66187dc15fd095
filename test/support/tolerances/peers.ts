import * as old from "../../../generated/0.3.0/index.js";
import * as present from "../../../generated/1.0/index.js";
import { adaptedOutput } from "../adapted.js";
import { all } from "../everywhere.js";
import type { Output } from "../scripted.js";
import type { Read, ReadingOptions } from "./row.js";

/** Reader of a form: the output of 1.0, the output of 0.3.0, or the output of 1.0 with its adapter for 0.3. */
export type Reader = "0.3" | "1.0" | "1.0 through 0.3";

const origin = "http://127.0.0.1:4000";

const common = {
  name: "Peer",
  description: "Writes in its own way.",
  version: "1",
  skills: [],
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  capabilities: { streaming: true, pushNotifications: true },
};

const cards = {
  "1.0": {
    ...common,
    supportedInterfaces: ["JSONRPC", "HTTP+JSON"].map((protocolBinding) => ({
      url: origin,
      protocolBinding,
      protocolVersion: "1.0",
    })),
  },
  "0.3": { ...common, url: origin, protocolVersion: "0.3.0", preferredTransport: "JSONRPC" },
};

/** The version in which a peer speaks to a reader. */
function spokenTo(reader: Reader): keyof typeof cards {
  return reader === "1.0" ? "1.0" : "0.3";
}

async function outputFor(reader: Reader) {
  if (reader === "1.0") return { output: present as unknown as Output, served: [], spoken: [] };
  if (reader === "0.3") return { output: old as unknown as Output, served: [], spoken: [] };
  const { own, adapters } = await adaptedOutput();
  const adapter = adapters["0.3"];
  if (adapter === undefined) throw new Error("There is no adapter for 0.3");
  return { output: own as unknown as Output, served: [adapter.served], spoken: [adapter.spoken] };
}

/** The requests of a client, by the name of its method. */
const requests: Readonly<Record<string, object>> = {
  sendMessage: { message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] } },
  sendStreamingMessage: { message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] } },
  getTask: { id: "t" },
};

/** Connects a client to an agent that responds to each call with this HTTP response. Returns the result of the call. */
export function responded(reader: Reader, method: string, response: () => Response, binding = "JSONRPC"): Read {
  return async (options) => {
    const { output, spoken } = await outputFor(reader);
    const card = cards[spokenTo(reader)];
    const fetch = (): Promise<Response> => Promise.resolve(response());
    const factories: Readonly<Record<string, unknown>> = { ...output };
    const open = factories[binding === "JSONRPC" ? "jsonRpc" : "rest"] as (options: object) => object;
    const transports = spoken.length > 0 ? [] : [open({ fetch })];
    const client = await output.connect(card, { fetch, versions: spoken, transports, ...options });
    const found: unknown = Reflect.get(client, method);
    if (typeof found !== "function") throw new Error(`The client has no ${method}`);
    const result: unknown = Reflect.apply(found, client, [requests[method]]);
    const isStream = typeof result === "object" && result !== null && Symbol.asyncIterator in result;
    return isStream ? await all(result as AsyncIterable<unknown>) : await result;
  };
}

/** An agent over JSON-RPC responds to a call with this result. */
export function resulted(reader: Reader, method: string, result: unknown): Read {
  const body = { jsonrpc: "2.0", id: 1, result };
  const isStream = method.includes("Stream");
  const headers = { "content-type": isStream ? "text/event-stream" : "application/json" };
  const text = isStream ? `data: ${JSON.stringify(body)}\n\n` : JSON.stringify(body);
  return responded(reader, method, () => new Response(text, { headers }));
}

/**
 * A caller sends an HTTP request to an agent. Returns the request that the service receives. Rejects if the agent responds
 * with an error.
 */
export function requested(reader: Reader, request: () => Request): Read {
  return async (options: ReadingOptions) => {
    const { output, served } = await outputFor(reader);
    const card = served.length > 0 ? cards["1.0"] : cards[spokenTo(reader)];
    let seen: unknown;
    const sendMessage = (given: unknown): object => {
      seen = given;
      const task = { id: "t", contextId: "c", status: { state: "TASK_STATE_COMPLETED" } };
      return reader === "0.3" ? { ...task, kind: "task", status: { state: "completed" } } : { task };
    };
    const service = { sendMessage, getTask: () => undefined };
    const agent = output.createAgent({ card, service, versions: served, ...options });
    const body = (await (await output.fetchHandler(agent)(request())).json()) as { readonly error?: unknown };
    if (body.error !== undefined) throw new Error(`Refused: ${JSON.stringify(body.error)}`);
    return seen;
  };
}

/** A caller sends a message over JSON-RPC. */
export function sent(reader: Reader, params: unknown): Read {
  const version = spokenTo(reader);
  const method = version === "1.0" ? "SendMessage" : "message/send";
  return requested(reader, () => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const headers = { "content-type": "application/json", "a2a-version": version };
    return new Request(origin, { method: "POST", headers, body });
  });
}
