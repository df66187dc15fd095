import { originOf } from "a2a-codegen-runtime/internal/client";
import { refusedCode, stoppedCode } from "./problems.js";

/** Facts about the server of the page. */
export interface Config {
  /** URL of the agent to open, or an empty string. */
  readonly url: string;
  /** URL of the webhook receiver. Absent if the server does not have a webhook receiver. */
  readonly hookUrl?: string;
  /** Whether the server can call agents over gRPC. */
  readonly grpc: boolean;
  /** Set if the agent itself serves the page. The page then calls the agent directly. */
  readonly isAgent?: boolean;
}

/** A webhook request that the receiver of the command has reported. */
export interface HookRequest {
  readonly at: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isTruncated: boolean;
}

/** A step of a sign-in: a page to open, the code to enter on that page, the token, or an error. */
export type SignInStep =
  | { readonly url: string; readonly userCode?: string }
  | { readonly token: string; readonly expiresAt?: number }
  | { readonly error: string };

/** Asks the user whether requests may be sent to an origin. */
export type ConfirmOrigin = (origin: string) => Promise<boolean>;

/** Reason why the command has refused a request. */
interface Refusal {
  readonly code: "origin" | "refused" | "failed";
  readonly message: string;
  readonly origin?: string;
  /** The code of the error of the connection, such as `ECONNREFUSED`. */
  readonly cause?: string;
}

/** A request for the command, by its URL or its gRPC target. */
interface Posted {
  readonly [member: string]: unknown;
  readonly url?: string;
  readonly target?: string;
}

/** The head of a response that the command has received. */
interface ResponseHead {
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Statuses whose responses cannot have a body. */
const bodiless = [204, 205, 304];

/**
 * The command that serves the page. It sends requests that a page cannot send because of CORS, and
 * calls gRPC.
 */
export class Command {
  readonly config: Config;
  readonly #confirm: ConfirmOrigin;
  /** Origins of quiet requests that the user has not confirmed. */
  readonly #unconfirmed = new Set<string>();

  private constructor(config: Config, confirm: ConfirmOrigin) {
    this.config = config;
    this.#confirm = confirm;
  }

  /** Reads the configuration from the server of the page. */
  static async open(confirm: ConfirmOrigin): Promise<Command> {
    const response = await fetch("config");
    if (!response.ok) throw new Error("The inspector has stopped. Start it again");
    return new Command((await response.json()) as Config, confirm);
  }

  /**
   * Sends a request through the command. Like `fetch`, rejects with a `TypeError` if no response
   * arrives. A URL from {@link grpcUrl} is called over gRPC: the request and the responses are
   * JSON-RPC. If `isQuiet` is set and the user has not confirmed the origin, the request fails
   * without asking the user.
   */
  async fetch(
    url: string,
    init: RequestInit,
    { isQuiet = false }: { readonly isQuiet?: boolean } = {},
  ): Promise<Response> {
    const { method = "GET", body, redirect, signal = null } = init;
    const options = { signal, isQuiet };
    const headers = Object.fromEntries(new Headers(init.headers));
    const [, version, target] = grpcPattern.exec(url) ?? [];
    if (target !== undefined)
      return this.#post("grpc-call", { target, version, headers, body }, options);
    if (this.config.isAgent === true) return fetch(url, init);
    const follow = redirect !== "manual";
    const response = await this.#post("fetch", { url, method, headers, body, follow }, options);
    const head = JSON.parse(
      decodeURIComponent(response.headers.get("x-inspect-head") ?? "{}"),
    ) as ResponseHead;
    return responseOf(head, response.body);
  }

  /** Signs the user in through the command, and yields the steps. */
  async *signIn(request: object, signal: AbortSignal): AsyncGenerator<SignInStep, void, undefined> {
    const response = await send("sign-in", request, signal);
    if (!response.ok || response.body === null)
      throw new Error("The inspector has stopped. Start it again");
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (rest + part.value).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield JSON.parse(line) as SignInStep;
    }
  }

  /** Calls `receive` with each webhook request, until the page is closed. */
  followHooks(receive: (request: HookRequest) => void): void {
    if (this.config.hookUrl === undefined) return;
    const source = new EventSource("hooks");
    source.onmessage = ({ data }) => receive(JSON.parse(String(data)) as HookRequest);
  }

  /** URL of the agent to open, or an empty string. */
  get agentUrl(): string {
    const { url, isAgent } = this.config;
    return isAgent === true ? new URL(url, location.href.replace(/#.*/, "")).href : url;
  }

  /**
   * Returns the origin of an interface if a quiet request has failed because the user has not
   * confirmed it.
   */
  unconfirmed(url: string): string | undefined {
    const origin = originOf(url);
    return this.#unconfirmed.has(origin) ? origin : undefined;
  }

  /** Allows the command to send requests to the origin of a URL that the user has entered. */
  async allow(url: string): Promise<void> {
    this.#unconfirmed.delete(originOf(url));
    if (this.config.isAgent !== true) await send("origins", { url }, null);
  }

  async #post(
    path: string,
    value: Posted,
    options: { readonly signal: AbortSignal | null; readonly isQuiet: boolean },
  ): Promise<Response> {
    const { signal, isQuiet } = options;
    const response = await send(path, value, signal);
    if (response.ok) return response;
    const { code, message, origin = "", cause } = (await response.json()) as Refusal;
    // The card of an agent can list any address, so the user must confirm each additional origin.
    if (code === "origin" && isQuiet)
      this.#unconfirmed.add(originOf(value.target ?? value.url ?? ""));
    if (code !== "origin" || isQuiet || !(await this.#confirm(origin)))
      throw failure(message, code === "failed" ? cause : refusedCode);
    await this.allow(origin);
    return this.#post(path, value, options);
  }
}

const grpcPattern = /^grpc-([\d.]+):(.*)/;

/**
 * Returns the URL that `fetch` of {@link Command} uses to call a gRPC target in a protocol version.
 */
export function grpcUrl(target: string, version: string): string {
  return `grpc-${version}:${target}`;
}

/** Returns the gRPC target of a URL, or `undefined` for other URLs. */
export function grpcTargetOf(url: string): string | undefined {
  return grpcPattern.exec(url)?.[2];
}

async function send(path: string, value: object, signal: AbortSignal | null): Promise<Response> {
  const headers = { "content-type": "application/json" };
  try {
    return await fetch(path, { method: "POST", headers, body: JSON.stringify(value), signal });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw failure("The inspector has stopped. Start it again", stoppedCode);
  }
}

/** Returns an error such as `fetch` throws, with the code of its cause. */
function failure(message: string, code: string | undefined): TypeError {
  return Object.assign(new TypeError(message), { code });
}

function responseOf(
  { url, status, headers }: ResponseHead,
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
): Response {
  const init = { status, headers: valid(headers) };
  const response = new Response(bodiless.includes(status) ? null : body, init);
  // The client resolves relative addresses against the URL after redirects.
  Object.defineProperty(response, "url", { value: url });
  return response;
}

/**
 * Returns the headers that `Headers` accepts. Agents can send headers with characters that
 * `Headers` rejects.
 */
function valid(headers: Readonly<Record<string, string>>): Headers {
  const result = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    try {
      result.append(name, value);
    } catch {
      // Skip this header, which is then not displayed.
    }
  }
  return result;
}
