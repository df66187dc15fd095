import { type HttpHandler, type HttpRequest, type HttpResponse } from "../../runtime/http/server.js";
import { basePath, BodyError, hasMediaType, limitsOf, splitTarget } from "../../runtime/http/server.js";
import { fetchHandler } from "../../runtime/http/adapters/fetch.js";
import type { CallHeaders } from "../../runtime/protocol/headers.js";
import type { ReceiverFacts } from "../kit-facts.js";
import type { Models } from "../model.js";
import { bareTokenHeader, keyHeader, tokenHeader } from "./notification.js";
import { keyOf, type PushEvent, pushEventOf, type PushReader, timeOfEvent } from "./push-event.js";
import { PushQueue, QueueError } from "./push-queue.js";
import { matcherOf } from "./secrets.js";
import { Seen } from "./seen.js";

/** Who may post to a webhook, and what becomes of it. One of `token`, `authorization` and `authenticate` is required. */
export interface PushReceiverOptions<M extends Models = Models> {
  /** The token of the configuration, or a function that returns that of a task; `undefined` refuses the task. */
  readonly token?: string | ((taskId: string) => string | undefined | Promise<string | undefined>);
  /**
   * The expected `Authorization`: the scheme of the configuration, a space, and its credentials. The case of the scheme does
   * not matter.
   */
  readonly authorization?: string;
  /**
   * Returns `true` if the headers are those of the agent, such as a JWT in them. The post is refused if it returns
   * anything else, or throws.
   */
  readonly authenticate?: (headers: CallHeaders) => boolean | Promise<boolean>;
  /**
   * Returns whether events of a task are expected; all by default. An agent with valid credentials could still post events of
   * tasks that belong to other agents, so return `true` only for tasks that this agent created.
   */
  readonly accepts?: (taskId: string) => boolean | Promise<boolean>;
  /**
   * Takes an event; the agent hears that it has arrived when the promise settles, and sends it again where that rejects.
   * Without it, `events` has the events.
   */
  readonly onEvent?: (event: PushEvent<M>) => unknown;
  /** Is called with what hooks throw and callers are not told. */
  readonly onError?: (error: unknown) => void;
  /** Is called with each post that was refused or could not be taken. */
  readonly onRefused?: (post: RefusedPost) => void;
  /** Reads bodies of other versions, before the checks of this one. */
  readonly read?: PushReader<M>;
  /** The path of the webhook; all by default. */
  readonly path?: string;
  /** The largest body, in bytes; 10 MiB by default. */
  readonly maxBodyBytes?: number;
  /** How many events are taken or wait at the same time; 100 by default. More are to come again later. */
  readonly maxWaiting?: number;
  /** How many events are remembered, so that one that comes twice is dropped; 10,000 by default. */
  readonly maxSeen?: number;
  /**
   * The age from which events are refused, in milliseconds; any age is taken by default. It limits how long a copied post
   * can be replayed, as only the last events are remembered, and none after a restart. Events without the time of a status
   * have no age. Retries of an agent must fit in: those of the task kit take a few hours.
   */
  readonly maxAgeMs?: number;
}

/** A post that a receiver has refused or could not take. */
export interface RefusedPost {
  /** Status of the response: 401 for wrong credentials, for instance. */
  readonly status: number;
  /** Reason, as the response gives it. */
  readonly reason: string;
  /** Task that the body names, if the post was refused after its body was read. */
  readonly taskId?: string;
  /** Path and query of the request. */
  readonly url: string;
  /** Headers of the request: a proxy adds the address of the caller, for instance. They may contain secrets. */
  readonly headers: CallHeaders;
}

/** The end of webhooks where events arrive. */
export interface PushReceiver<M extends Models = Models> {
  /** For Deno, Bun, edge workers and frameworks of the Web. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** For the adapters of platforms; for Node see `pushListener` in `kit/node.js`. */
  readonly handler: HttpHandler;
  /** The events, each once, in the order of each task; none where there is an `onEvent`. */
  readonly events: AsyncIterable<PushEvent<M>>;
  /** Ends `events`, and refuses what comes. */
  close(): void;
}

/**
 * Returns the end of webhooks: it takes what agents post, after it has checked who they are and what it is, and responds
 * when it was taken. Throws a `TypeError` where nothing says who may post.
 */
export function pushReceiver<M extends Models = Models>(
  options: PushReceiverOptions<M>,
  facts: ReceiverFacts<M>,
): PushReceiver<M> {
  const { token, authorization, authenticate, maxWaiting = 100 } = options;
  if (token === undefined && authorization === undefined && authenticate === undefined)
    throw new TypeError("pushReceiver needs `token`, `authorization` or `authenticate`: anybody could post otherwise");
  checkSecret("token", token);
  checkSecret("authorization", authorization);
  const queue = new PushQueue<PushEvent<M>>(maxWaiting);
  const receiver = new Receiver(options, queue, facts);
  const handler: HttpHandler = (request) => receiver.respond(request);
  return {
    fetch: fetchHandler(handler),
    handler,
    events: queue,
    close: () => {
      receiver.close();
    },
  };
}

/** A response that is no success. */
class Refusal extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

class Receiver<M extends Models> {
  readonly #options: PushReceiverOptions<M>;
  readonly #facts: ReceiverFacts<M>;
  readonly #queue: PushQueue<PushEvent<M>>;
  readonly #seen: Seen;
  readonly #path: string | undefined;
  readonly #isToken: ((text: string) => Promise<boolean>) | undefined;
  readonly #isAuthorized: ((text: string) => Promise<boolean>) | undefined;
  #taking = 0;
  #isClosed = false;

  constructor(options: PushReceiverOptions<M>, queue: PushQueue<PushEvent<M>>, facts: ReceiverFacts<M>) {
    const { token, authorization, path, maxSeen = 10_000 } = options;
    this.#options = options;
    this.#facts = facts;
    this.#queue = queue;
    this.#seen = new Seen(maxSeen);
    this.#path = path === undefined ? undefined : basePath(path);
    this.#isToken = typeof token === "string" ? matcherOf(token) : undefined;
    this.#isAuthorized = authorization === undefined ? undefined : matcherOf(withFoldedScheme(authorization));
  }

  /** Never rejects. */
  async respond(request: HttpRequest): Promise<HttpResponse | undefined> {
    if (this.#path !== undefined && basePath(splitTarget(request.url).path) !== this.#path) return undefined;
    let taskId: string | undefined;
    try {
      const { event, text } = await this.#receive(request);
      taskId = event.taskId;
      await this.#checkTask(taskId, request.headers);
      const key = await keyOf(event, request.headers.get(keyHeader), text);
      await this.#seen.once(key, () => this.#take(key === undefined ? event : { ...event, key }));
      return { status: 204, headers: {} };
    } catch (thrown) {
      const refusal = thrown instanceof Refusal ? thrown : this.#refusalFor(thrown);
      this.#tell(request, refusal, taskId);
      const headers = { "content-type": "text/plain; charset=utf-8", ...refusal.headers };
      return { status: refusal.status, headers, body: `${refusal.message}\n` };
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#queue.close();
  }

  /** Reads the event of a request and its text, after the checks that need no body. */
  async #receive(request: HttpRequest): Promise<{ readonly event: PushEvent<M>; readonly text: string }> {
    const { headers, method } = request;
    if (method !== "POST") throw new Refusal(405, "Webhooks take POST", { allow: "POST" });
    if (this.#isClosed) throw busy("The receiver is closed");
    await this.#checkHeaders(headers);
    const { accept } = this.#facts.protocol.mediaTypes;
    if (!hasMediaType(headers, accept)) throw new Refusal(415, `The webhook takes ${accept.join(" or ")}`);
    const { body, text } = await this.#read(request);
    const event = pushEventOf<M>(body, this.#options.read, this.#facts);
    if ("problem" in event) throw new Refusal(400, `The body is no event: ${event.problem}`);
    return { event, text };
  }

  async #checkHeaders(headers: CallHeaders): Promise<void> {
    const { authenticate } = this.#options;
    const checks: Promise<unknown>[] = [];
    if (this.#isToken !== undefined) checks.push(this.#isToken(tokenOf(headers)));
    if (this.#isAuthorized !== undefined)
      checks.push(this.#isAuthorized(withFoldedScheme(headers.get("authorization") ?? "")));
    if (authenticate !== undefined) checks.push(this.#ask(() => authenticate(headers)));
    const results = await Promise.all(checks);
    // Whatever is not `true` refuses: look-ups return `undefined` or `null` for what they do not find.
    if (results.some((result) => result !== true)) throw unauthenticated(this.#options.authorization);
  }

  /** What is known of the agent only when it is known which task it is. */
  async #checkTask(taskId: string, headers: CallHeaders): Promise<void> {
    const { token, accepts } = this.#options;
    if (typeof token === "function") {
      const expected = await token(taskId);
      const isSame = await matcherOf(expected ?? "")(tokenOf(headers));
      if (expected === undefined || expected === "" || !isSame) throw unauthenticated();
    }
    if (accepts !== undefined && !(await accepts(taskId))) throw new Refusal(404, "The task is not expected here");
  }

  /** Returns what a hook returns, and `false` if it throws. */
  async #ask(hook: () => unknown): Promise<unknown> {
    try {
      return await hook();
    } catch (error) {
      this.#report(error);
      return false;
    }
  }

  async #read(request: HttpRequest): Promise<{ readonly body: unknown; readonly text: string }> {
    const { parsedBody } = request;
    if (parsedBody !== undefined) return { body: parsedBody, text: JSON.stringify(parsedBody) };
    const { maxBodyBytes } = limitsOf(this.#options);
    if (Number(request.headers.get("content-length") ?? 0) > maxBodyBytes) throw new BodyError("too large");
    const text = await request.readBody(maxBodyBytes);
    try {
      return { body: JSON.parse(text), text };
    } catch (cause) {
      throw new Refusal(400, cause instanceof Error ? `The body is no JSON: ${cause.message}` : "The body is no JSON");
    }
  }

  async #take(event: PushEvent<M>): Promise<void> {
    const { onEvent, maxWaiting = 100, maxAgeMs = Infinity } = this.#options;
    const time = timeOfEvent(event.event);
    if (time > 0 && Date.now() - time > maxAgeMs)
      throw new Refusal(400, `The event is more than ${String(maxAgeMs)} ms old`);
    if (onEvent === undefined) return this.#queue.add(event);
    if (this.#taking >= maxWaiting) throw new QueueError("Too many events are being taken");
    this.#taking += 1;
    try {
      await onEvent(event);
    } finally {
      this.#taking -= 1;
    }
  }

  #refusalFor(thrown: unknown): Refusal {
    if (thrown instanceof QueueError) return busy(thrown.message);
    if (thrown instanceof BodyError)
      return thrown.reason === "too large"
        ? new Refusal(413, thrown.message, { connection: "close" })
        : new Refusal(400, thrown.message);
    this.#report(thrown);
    return new Refusal(500, "The event could not be taken");
  }

  #tell({ url, headers }: HttpRequest, { status, message: reason }: Refusal, taskId: string | undefined): void {
    const { onRefused } = this.#options;
    if (onRefused === undefined) return;
    try {
      onRefused({ status, reason, url, headers, ...(taskId !== undefined && { taskId }) });
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    try {
      this.#options.onError?.(error);
    } catch {
      // There is nobody else to tell.
    }
  }
}

/** Throws a `TypeError` for a secret that everybody knows: an empty one, or a scheme without credentials. */
function checkSecret(option: string, secret: unknown): void {
  if (typeof secret !== "string" || /\S/.test(secret.replace(/^[!-~]+ +$/, ""))) return;
  const found = secret.trim() === "" ? "an empty string" : `${JSON.stringify(secret)}, without credentials`;
  throw new TypeError(
    `\`${option}\` of pushReceiver is ${found}, so that anybody could post: is an environment variable missing?`,
  );
}

function busy(message: string): Refusal {
  return new Refusal(503, message, { "retry-after": "1" });
}

function tokenOf(headers: CallHeaders): string {
  return headers.get(tokenHeader) ?? headers.get(bareTokenHeader) ?? "";
}

/** Returns an `Authorization` to compare: the case of its scheme and the spaces behind the scheme do not matter. */
function withFoldedScheme(authorization: string): string {
  const at = authorization.indexOf(" ");
  return at < 0 ? authorization : `${authorization.slice(0, at).toLowerCase()} ${authorization.slice(at).trimStart()}`;
}

/** The scheme is what stands before a space: what has none is a secret as a whole. */
function unauthenticated(authorization: string = ""): Refusal {
  const scheme = authorization.includes(" ") ? authorization.slice(0, authorization.indexOf(" ")) : "Bearer";
  return new Refusal(401, "The request is not signed in", { "www-authenticate": scheme });
}
