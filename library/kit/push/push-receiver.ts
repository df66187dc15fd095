import {
  type HttpHandler,
  type HttpRequest,
  type HttpResponse,
} from "../../runtime/http/server.js";
import { basePath, splitTarget } from "../../runtime/http/server.js";
import { fetchHandler } from "../../runtime/http/adapters/fetch.js";
import type { CallHeaders } from "../../runtime/protocol/headers.js";
import type { ReceiverFacts } from "../kit-facts.js";
import { bareTokenHeader, keyHeader, tokenHeader } from "./notification.js";
import { keyOf, type PushEvent, timeOfEvent } from "./push-event.js";
import { busy, readPost, Refusal } from "./read-post.js";
import { PushQueue, QueueError } from "./received-events.js";
import type { PushReceiver, PushReceiverOptions } from "./receiver-options.js";
import { matcherOf } from "./secrets.js";
import { Seen } from "./seen.js";

/** Implements {@link KitFunctions.pushReceiver} with facts about a version. */
export function pushReceiver(options: PushReceiverOptions, facts: ReceiverFacts): PushReceiver {
  const { token, tokenForUrl, authorization, authenticate, maxWaiting = 100 } = options;
  if ([token, tokenForUrl, authorization, authenticate].every((option) => option === undefined))
    throw new TypeError(
      "pushReceiver requires `token`, `tokenForUrl`, `authorization` or `authenticate`: " +
        "otherwise, it would accept events from any sender",
    );
  checkSecret("token", token);
  checkSecret("authorization", authorization);
  const queue = new PushQueue<PushEvent>(maxWaiting);
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

class Receiver {
  readonly #options: PushReceiverOptions;
  readonly #facts: ReceiverFacts;
  readonly #queue: PushQueue<PushEvent>;
  readonly #seen: Seen;
  readonly #path: string | undefined;
  readonly #isToken: ((text: string) => Promise<boolean>) | undefined;
  readonly #isAuthorized: ((text: string) => Promise<boolean>) | undefined;
  #taking = 0;
  #isClosed = false;

  constructor(options: PushReceiverOptions, queue: PushQueue<PushEvent>, facts: ReceiverFacts) {
    const { token, authorization, path, maxSeen = 10_000 } = options;
    this.#options = options;
    this.#facts = facts;
    this.#queue = queue;
    this.#seen = new Seen(maxSeen);
    this.#path = path === undefined ? undefined : basePath(path);
    this.#isToken = typeof token === "string" ? matcherOf(token) : undefined;
    this.#isAuthorized =
      authorization === undefined ? undefined : matcherOf(withFoldedScheme(authorization));
  }

  /** Responds to a request. Never rejects. */
  async respond(request: HttpRequest): Promise<HttpResponse | undefined> {
    if (!this.#isForReceiver(request)) return undefined;
    let taskId: string | undefined;
    try {
      const { event, text } = await this.#receive(request);
      taskId = event.taskId;
      await this.#checkTask(taskId, request);
      const key = await keyOf(event, request.headers.get(keyHeader), text);
      await this.#seen.once(key, () => this.#take(key === undefined ? event : { ...event, key }));
      return { status: 204, headers: {} };
    } catch (thrown) {
      const refusal = thrown instanceof Refusal ? thrown : this.#refusalFor(thrown);
      this.#reportRefusal(request, refusal, taskId);
      return refusal.response;
    }
  }

  /**
   * Returns whether a request has the receiver's path, also below the path at which a framework
   * mounts the receiver.
   */
  #isForReceiver({ url, originalUrl = url }: HttpRequest): boolean {
    return (
      this.#path === undefined ||
      [url, originalUrl].some((address) => basePath(splitTarget(address).path) === this.#path)
    );
  }

  close(): void {
    this.#isClosed = true;
    this.#queue.close();
  }

  /**
   * Performs the checks that do not require the body, and then reads the body. Returns the event
   * and the text of the body.
   */
  async #receive(
    request: HttpRequest,
  ): Promise<{ readonly event: PushEvent; readonly text: string }> {
    const { headers, method, url } = request;
    if (method !== "POST") throw new Refusal(405, "The webhook requires POST", { allow: "POST" });
    if (this.#isClosed) throw busy("The receiver is closed");
    // Authenticate before reading the body, so that an attacker cannot make the process buffer
    // large bodies.
    await this.#checkHeaders(headers, url);
    return readPost(request, this.#options, this.#facts);
  }

  async #checkHeaders(headers: CallHeaders, url: string): Promise<void> {
    const { authenticate, tokenForUrl } = this.#options;
    const checks: Promise<unknown>[] = [];
    if (tokenForUrl !== undefined)
      checks.push(this.#resultOf(async () => isExpected(tokenOf(headers), await tokenForUrl(url))));
    if (this.#isToken !== undefined) checks.push(this.#isToken(tokenOf(headers)));
    if (this.#isAuthorized !== undefined)
      checks.push(this.#isAuthorized(withFoldedScheme(headers.get("authorization") ?? "")));
    if (authenticate !== undefined) checks.push(this.#resultOf(() => authenticate(headers)));
    const results = await Promise.all(checks);
    // Refuse everything except `true`: a failed look-up may return `undefined` or `null`.
    if (results.some((result) => result !== true))
      throw unauthenticated(this.#options.authorization);
  }

  /** Checks the token for the event's task, and whether events of this task are expected. */
  async #checkTask(taskId: string, { url, headers }: HttpRequest): Promise<void> {
    const { token, accepts } = this.#options;
    if (typeof token === "function") {
      if (!(await isExpected(tokenOf(headers), await token(taskId)))) throw unauthenticated();
    }
    if (accepts !== undefined && !(await accepts(taskId, { url, headers })))
      throw new Refusal(404, "The webhook does not accept events of the task");
  }

  /** Returns the result of a callback, or `false` if it throws. */
  async #resultOf(hook: () => unknown): Promise<unknown> {
    try {
      return await hook();
    } catch (error) {
      this.#report(error);
      return false;
    }
  }

  async #take(event: PushEvent): Promise<void> {
    const { onEvent, maxWaiting = 100, maxAgeMs = Infinity } = this.#options;
    const time = timeOfEvent(event.event);
    if (time > 0 && Date.now() - time > maxAgeMs)
      throw new Refusal(400, `The event is more than ${String(maxAgeMs)} ms old`);
    if (onEvent === undefined) return this.#queue.add(event);
    if (this.#taking >= maxWaiting) throw new QueueError("Too many events are being processed");
    this.#taking += 1;
    try {
      await onEvent(event);
    } finally {
      this.#taking -= 1;
    }
  }

  #refusalFor(thrown: unknown): Refusal {
    if (thrown instanceof QueueError) return busy(thrown.message);
    this.#report(thrown);
    return new Refusal(500, "The event could not be processed");
  }

  #reportRefusal(
    { url, headers }: HttpRequest,
    { status, message: reason }: Refusal,
    taskId: string | undefined,
  ): void {
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
      // `onError` has thrown, so the error cannot be reported.
    }
  }
}

/**
 * Checks a secret.
 * @throws A `TypeError` if the secret is empty, or is a scheme without credentials. An attacker
 *   could guess such a secret.
 */
function checkSecret(option: string, secret: unknown): void {
  if (typeof secret !== "string" || /\S/.test(secret.replace(/^[!-~]+ +$/, ""))) return;
  const found =
    secret.trim() === "" ? "an empty string" : `${JSON.stringify(secret)}, without credentials`;
  throw new TypeError(
    `\`${option}\` of pushReceiver is ${found}: an environment variable may be missing`,
  );
}

/** Returns whether a token is the expected token, which exists. */
async function isExpected(token: string, expected: string | undefined): Promise<boolean> {
  // Compare even if no token is expected, so that the duration does not reveal which tasks have a
  // token.
  const isSame = await matcherOf(expected ?? "")(token);
  return isSame && expected !== undefined && expected !== "";
}

function tokenOf(headers: CallHeaders): string {
  return headers.get(tokenHeader) ?? headers.get(bareTokenHeader) ?? "";
}

/**
 * Normalizes an `Authorization` header, in which the case of the scheme and the number of spaces
 * after the scheme are not significant.
 */
function withFoldedScheme(authorization: string): string {
  const at = authorization.indexOf(" ");
  return at < 0
    ? authorization
    : `${authorization.slice(0, at).toLowerCase()} ${authorization.slice(at).trimStart()}`;
}

/**
 * Returns the 401 response, with the scheme of the expected `Authorization` header: the text before
 * its first space. A header without a space is a secret, which the response must not contain.
 */
function unauthenticated(authorization: string = ""): Refusal {
  const scheme = authorization.includes(" ")
    ? authorization.slice(0, authorization.indexOf(" "))
    : "Bearer";
  return new Refusal(401, "The credentials of the request are missing or invalid", {
    "www-authenticate": scheme,
  });
}
