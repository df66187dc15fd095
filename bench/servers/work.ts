import type { RequestListener } from "node:http";
import { setImmediate } from "node:timers/promises";

/** What agents are asked, in the JSON of 1.0. All of them do the same work for it. */
export const userMessage = {
  messageId: "6b0cf0f1-6f50-4a6c-a9dc-0a4f3b6c1c55",
  role: "ROLE_USER",
  parts: [{ text: "What is the weather like in Zürich on Tuesday, and do I need an umbrella?" }],
} as const;

/** What an agent says, whether as an artifact or as a message. */
export const answer = "Partly cloudy and 14 °C with a chance of rain of 20 %: leave the umbrella at home.";

/** How a streaming agent speaks; each word is an event, between the one with the task and the one with its end. */
export interface Talk {
  readonly count: number;
  /** Returns a word, which the agent has to wait for as for those of a model. */
  readonly word: (index: number) => Promise<string>;
}

function wordAt(index: number): Promise<string> {
  return Promise.resolve(`word ${index} `);
}

/** As {@link wordAt}, but each word comes in a turn of the event loop of its own. */
async function laterWordAt(index: number): Promise<string> {
  await setImmediate();
  return wordAt(index);
}

/** What streaming agents say. Those who speak to many begin when their gate is opened. */
export const talks = {
  stream: { count: 200, word: wordAt },
  fanOut: { count: 300, word: wordAt },
  slowFanOut: { count: 300, word: laterWordAt },
} as const satisfies Readonly<Record<string, Talk>>;

/** Holds agents back that stream to many, until all of these are there. */
export class Gate {
  #open: () => void = () => undefined;
  #opened = this.#next();

  /** Waits until the gate is opened the next time. */
  opened(): Promise<void> {
    return this.#opened;
  }

  /** Opens the gate for all who wait. */
  open(): void {
    const open = this.#open;
    this.#opened = this.#next();
    open();
  }

  #next(): Promise<void> {
    return new Promise((resolve) => {
      this.#open = resolve;
    });
  }
}

/** Has a request for {@link paths.go} open a gate; other requests are the agent's. */
export function gated(gate: Gate, listener: RequestListener): RequestListener {
  return (request, response) => {
    if (request.url !== paths.go) {
      listener(request, response);
      return;
    }
    gate.open();
    response.writeHead(200, { "content-length": 0 }).end();
  };
}

/** What answers have in common once ids and times are left aside. */
export const names = { artifactId: "answer", artifactName: "Answer" } as const;

/** What a host program answers with. */
export type Kind = (typeof kinds)[number];

/** All kinds of answers: a stored task, a message, and the {@link talks}. */
export const kinds = ["task", "message", "stream", "fanOut", "slowFanOut"] as const;

/** The paths of the HTTP bindings on every host. */
export const paths = { jsonRpc: "/rpc", rest: "/rest", go: "/go" } as const;

/** How a host program tells that it listens. */
export interface Ready {
  readonly httpPort: number;
  readonly grpcPort: number;
}

/** The card of every agent here. */
export const card = {
  name: "Weather",
  description: "Answers at once",
  version: "1.0.0",
  supportedInterfaces: [
    { url: "http://127.0.0.1/rpc", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    { url: "http://127.0.0.1/rest", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
    { url: "127.0.0.1:1", protocolBinding: "GRPC", protocolVersion: "1.0" },
  ],
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "weather", name: "Weather", description: "Tells the weather", tags: ["weather"] }],
};
