import type { AgentCard } from "../../../generated/1.0/index.js";
import { bindings, type Binding } from "../../support/scripted.js";
import type { Dialect } from "./dialect.js";
import type { Json } from "./json.js";

export { bindings, type Binding };

/** A call that has reached the code behind a server, as that code sees it. */
export interface Asked {
  /** The name of the method in our clients and services. */
  readonly method: string;
  readonly request: unknown;
  readonly extensions: readonly string[];
}

/** How a server differs from the usual one. */
export interface HostOptions {
  readonly capabilities?: AgentCard["capabilities"] | undefined;
  /** Whether the card has a security scheme; it has by default. */
  readonly security?: boolean | undefined;
  /** The form of the card for callers that name no version, if several versions are served. */
  readonly form?: "merged" | "selected";
}

/** A server that runs, with an agent that plays the scenes of `scenes.ts`. */
export interface Host {
  /** API for the agent of a peer: how it is called, and how it sends events. */
  readonly dialect: Dialect;
  /** The card, in the JSON of 1.0. */
  readonly card: AgentCard;
  /** Path of the card. */
  readonly url: string;
  readonly asked: readonly Asked[];
  /** Whether the SDK adds texts to its errors. */
  readonly ownTexts?: boolean;
  /** Whether the message of a status is only added to the history when the next status comes. */
  readonly lateHistory?: boolean;
  /** Resumes waiting scenes. */
  readonly release: () => void;
  readonly close: () => Promise<void>;
}

/** Options of a call. */
export interface CallerOptions {
  readonly extensions?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** A client that is connected, by the names of the methods that our clients have. */
export interface Caller {
  /** API for the user of a peer: how it makes requests and reads results. */
  readonly dialect: Dialect;
  /** The version on the wire, if it differs from the user's version. */
  readonly speaks?: Dialect["version"];
  /** Whether errors have the text that the server has given them. */
  readonly keepsTexts: boolean;
  /** The card that it has found. */
  readonly card: unknown;
  /** The headers of the last answer; none over gRPC. */
  readonly headers: () => Headers | undefined;
  readonly call: (method: string, request: Json, options?: CallerOptions) => Promise<unknown>;
  readonly stream: (
    method: string,
    request: Json,
    options?: CallerOptions,
  ) => AsyncIterable<unknown>;
  readonly close: () => void;
}

/** The kinds of servers and clients that the tests include. */
export type StartHost = (options?: HostOptions) => Promise<Host>;
export type Connect = (url: string, binding: Binding) => Promise<Caller>;

/** An error as the user of a client sees it. */
export interface Refusal {
  readonly refused: string;
  readonly text: string;
}

/** Outcome of a call: its result or its error. */
export async function outcome(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { refused: errorName(error), text: error.message } satisfies Refusal;
  }
}

/** Reads a stream to its end, or to the error that ends it, which comes last. */
export async function everything(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const events: unknown[] = [];
  const read = async () => {
    for await (const event of stream) events.push(event);
    return undefined;
  };
  const end = await outcome(read());
  return end === undefined ? events : [...events, end];
}

/**
 * The class of an error, without the prefix of the SDK (`RestTaskNotFoundError`). The SDK calls
 * every invalid request "malformed", while our classes distinguish invalid parameters.
 */
function errorName({ name, constructor }: Error) {
  const own = name === "Error" ? constructor.name : name;
  return own
    .replace(/^(JsonRpc|Rest|Grpc)(?=[A-Z])/, "")
    .replace(/^RequestMalformedError$/, "InvalidParamsError");
}

/** Gate that blocks an agent until the test opens it. */
export class Gate {
  readonly #waiting = new Map<string, (goOn: boolean) => void>();

  /** Waits, and resolves to whether to continue or to stop because the task was canceled. */
  wait(taskId: string): Promise<boolean> {
    return new Promise((resolve) => this.#waiting.set(taskId, resolve));
  }

  release(): void {
    for (const goOn of this.#waiting.values()) goOn(true);
  }

  cancel(taskId: string): void {
    this.#waiting.get(taskId)?.(false);
  }
}

/** Remembers the headers of the answers that it fetches. */
export function watchedFetch(): {
  readonly fetch: typeof fetch;
  readonly headers: () => Headers | undefined;
} {
  let last: Headers | undefined;
  const watched: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    last = response.headers;
    return response;
  };
  return { fetch: watched, headers: () => last };
}

/** Makes an object of a class whose options are a class too, which the SDK does not export. */
export function made<T>(of: new (options: never) => T, options: object): T {
  return new of(options as never);
}
