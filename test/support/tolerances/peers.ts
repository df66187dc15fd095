import { adaptedOutput } from "../adapted.js";
import { all } from "../everywhere.js";
import { outputOf, type Output } from "../scripted.js";
import type { Read, ReadingOptions } from "./row.js";

/**
 * Reader of a form: the output of a version, or the output of 1.0 with its adapter for a version.
 */
export type Reader = "0.2.1" | "0.2.6" | "0.3.0" | "1.0" | "1.0 through 0.2" | "1.0 through 0.3";

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
function spokenTo(reader: Reader) {
  return /^\d\.\d/.exec(reader.replace("1.0 through ", ""))?.[0] ?? reader;
}

function cardFor(version: string): object {
  if (version === "1.0") return cards["1.0"];
  return { ...cards["0.3"], protocolVersion: `${version}.0` };
}

async function outputFor(reader: Reader) {
  if (!reader.includes("through"))
    return { output: await outputOf(reader), served: [], spoken: [] };
  const { own, adapters } = await adaptedOutput();
  const adapter = adapters[spokenTo(reader)];
  if (adapter === undefined) throw new Error(`There is no adapter for ${reader}`);
  return { output: own as unknown as Output, served: [adapter.served], spoken: [adapter.spoken] };
}

/** The requests of a client, by the name of its method. */
const requests: Readonly<Record<string, object>> = {
  sendMessage: { message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] } },
  sendStreamingMessage: { message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] } },
  getTask: { id: "t" },
};

/**
 * Connects a client to an agent that responds to each call with this HTTP response. Returns the
 * result of the call.
 */
export function responded(
  reader: Reader,
  method: string,
  response: () => Response,
  binding = "JSONRPC",
): Read {
  return async (options) => {
    const { output, spoken } = await outputFor(reader);
    const card = cardFor(spokenTo(reader));
    const fetch = () => Promise.resolve(response());
    const factories: Readonly<Record<string, unknown>> = { ...output };
    const open = factories[binding === "JSONRPC" ? "jsonRpc" : "rest"] as (
      options: object,
    ) => object;
    const transports = spoken.length > 0 ? [] : [open({ fetch })];
    const client = await output.connect(card, { fetch, versions: spoken, transports, ...options });
    const found: unknown = Reflect.get(client, method);
    if (typeof found !== "function") throw new Error(`The client has no ${method}`);
    const result: unknown = Reflect.apply(found, client, [requests[method]]);
    const isStream =
      typeof result === "object" && result !== null && Symbol.asyncIterator in result;
    return isStream ? await all(result as AsyncIterable<unknown>) : await result;
  };
}

/** An agent over JSON-RPC responds to a call with this result, or with several events. */
export function resulted(reader: Reader, method: string, ...results: readonly unknown[]): Read {
  const bodies = results.map((result) => JSON.stringify({ jsonrpc: "2.0", id: 1, result }));
  const isStream = method.includes("Stream");
  const headers = { "content-type": isStream ? "text/event-stream" : "application/json" };
  const text = isStream ? bodies.map((body) => `data: ${body}\n\n`).join("") : bodies.join("");
  return responded(reader, method, () => new Response(text, { headers }));
}

/**
 * A caller sends an HTTP request to an agent. Returns the request that the service receives.
 * Rejects if the agent responds with an error.
 */
export function requested(reader: Reader, request: () => Request): Read {
  return async (options: ReadingOptions) => {
    const { output, served } = await outputFor(reader);
    const card = cardFor(served.length > 0 ? "1.0" : spokenTo(reader));
    let seen: unknown;
    const isOwn = reader.startsWith("1.0");
    const task = {
      id: "t",
      contextId: "c",
      status: { state: isOwn ? "TASK_STATE_COMPLETED" : "completed" },
    };
    const result = isOwn ? { task } : { kind: "task", ...task };
    const sendMessage = (given: unknown): object => {
      seen = given;
      return result;
    };
    async function* sendStreamingMessage(given: unknown): AsyncGenerator<object> {
      yield await Promise.resolve(sendMessage(given));
    }
    const service = { sendMessage, sendStreamingMessage, getTask: () => result };
    const agent = output.createAgent({
      card,
      service,
      versions: served,
      onError: () => undefined,
      ...options,
    });
    const text = await (await output.fetchHandler(agent)(request())).text();
    if (seen === undefined) throw new Error(`The request was refused: ${text}`);
    return seen;
  };
}

/** A caller sends a message over JSON-RPC. */
export function sent(reader: Reader, params: unknown, old = "message/send"): Read {
  const version = spokenTo(reader);
  const method = version === "1.0" ? "SendMessage" : old;
  return requested(reader, () => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const headers = { "content-type": "application/json", "a2a-version": version };
    return new Request(origin, { method: "POST", headers, body });
  });
}
