import type { RequestListener } from "node:http";
import { setImmediate, setTimeout } from "node:timers/promises";

/** The requests to agents, in the JSON of 1.0. All agents do the same work for them. */
export const userMessage = {
  messageId: "6b0cf0f1-6f50-4a6c-a9dc-0a4f3b6c1c55",
  role: "ROLE_USER",
  parts: [{ text: "What is the weather like in Zürich on Tuesday, and do I need an umbrella?" }],
} as const;

/** The text of an agent's artifact or message. */
export const answer =
  "Partly cloudy and 14 °C with a chance of rain of 20 %: leave the umbrella at home.";

/**
 * Output of a streaming agent. Each word is an event, between the event with the task and the final
 * event.
 */
export interface Talk {
  readonly count: number;
  /** Returns a word asynchronously, like the words of a model. */
  readonly word: (index: number) => Promise<string>;
}

function wordAt(index: number): Promise<string> {
  return Promise.resolve(`word ${index} `);
}

/** Like {@link wordAt}, but each word arrives in a separate turn of the event loop. */
async function laterWordAt(index: number): Promise<string> {
  await setImmediate();
  return wordAt(index);
}

/**
 * Like {@link wordAt}, but a word arrives every half second, and contains the time at which it was
 * written.
 */
async function timedWord(): Promise<string> {
  await setTimeout(500);
  return `at ${performance.timeOrigin + performance.now()} `;
}

/** Output of streaming agents. Agents with many subscribers start when their gate opens. */
export const talks = {
  stream: { count: 200, word: wordAt },
  fanOut: { count: 300, word: wordAt },
  slowFanOut: { count: 300, word: laterWordAt },
  shortFanOut: { count: 100, word: laterWordAt },
  timedFanOut: { count: 8, word: timedWord },
} as const satisfies Readonly<Record<string, Talk>>;

/** Number of chunks in the streams of agents that respond as messages ask. */
export const chunks = 100;

/** A response that a message can ask for: a reply, a task, a stream, or a task that stays open. */
export type Wish = "message" | "task" | "stream" | "wait";

/** Returns the text of a message that asks for a response. */
export function askingFor(wish: Wish): string {
  return `${wish}: ${userMessage.parts[0].text}`;
}

/** Returns the response that a message asks for: the first word of its text. */
export function wishIn(text: string): string {
  return text.slice(0, text.indexOf(":"));
}

/** Returns the texts of the artifact that a message asks for. */
export function* textsFor(wish: string): Generator<string> {
  if (wish !== "stream") yield answer;
  else for (let index = 0; index < chunks; index += 1) yield `word ${index} `;
}

/** Delays agents with many subscribers until all subscribers are connected. */
export class Gate {
  #open: () => void = () => undefined;
  #opened = this.#next();

  /** Waits until the gate opens again. */
  opened(): Promise<void> {
    return this.#opened;
  }

  /** Opens the gate for all waiting agents. */
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

/** Opens a gate for requests to {@link paths.go}, and passes other requests to the agent. */
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

/** The common part of responses, without ids and times. */
export const names = { artifactId: "answer", artifactName: "Answer" } as const;

/** Kind of the responses of a host program. */
export type Kind = (typeof kinds)[number];

/**
 * All kinds of responses: a stored task, a message, the {@link talks}, and the response that the
 * message asks for, also for callers of 0.3.
 */
export const kinds = [
  "task",
  "message",
  "stream",
  "fanOut",
  "slowFanOut",
  "shortFanOut",
  "timedFanOut",
  "asked",
  "askedBy03",
] as const;

/** The paths of the HTTP bindings on every host. */
export const paths = { jsonRpc: "/rpc", rest: "/rest", go: "/go" } as const;

/** Message with which a host program reports that it is listening. */
export interface Ready {
  readonly httpPort: number;
  readonly grpcPort: number;
}

/** Message to a host program: report the CPU time that it has used, or collect garbage. */
export type Order = "usage" | "settle";

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

/** The card of an agent that also serves callers of 0.3. */
export const cardFor03 = {
  ...card,
  supportedInterfaces: [
    ...card.supportedInterfaces,
    { url: "http://127.0.0.1/rpc", protocolBinding: "JSONRPC", protocolVersion: "0.3" },
  ],
};
