import type { HttpHandler } from "../../runtime/http/server.js";
import type { CallHeaders } from "../../runtime/protocol/headers.js";
import type { PushEvent, PushReader } from "./push-event.js";

/**
 * Options for `pushReceiver`. One of `token`, `tokenForUrl`, `authorization` and
 * `authenticate` is required.
 */
export interface PushReceiverOptions {
  /**
   * The token in the webhook's configuration, or a function that returns the token for a task. If
   * the function returns `undefined`, the post is refused. The function is called after the body
   * has been read, because only the body names the task. Prefer `tokenForUrl`, which refuses
   * unknown senders before their bodies are read.
   */
  readonly token?: string | ((taskId: string) => string | undefined | Promise<string | undefined>);
  /**
   * Returns the token of the webhook with this path and query, for example `/webhook?task=42`. If
   * the function returns `undefined`, the post is refused. Give each webhook a URL of its own.
   */
  readonly tokenForUrl?: (url: string) => string | undefined | Promise<string | undefined>;
  /**
   * The expected `Authorization` header: the scheme in the webhook's configuration, a space, and
   * the credentials. The scheme is not case-sensitive.
   */
  readonly authorization?: string;
  /**
   * Returns `true` if the headers authenticate the agent, for example with a JWT. If the function
   * throws or returns any other value, the post is refused.
   */
  readonly authenticate?: (headers: CallHeaders) => boolean | Promise<boolean>;
  /**
   * Returns whether events of a task are expected; all tasks by default. An agent with valid
   * credentials could post events for tasks of other agents, so return `true` only for tasks of the
   * agent that has these credentials. With `tokenForUrl`, compare the task with the URL.
   */
  readonly accepts?: (
    taskId: string,
    post: Pick<RefusedNotification, "url" | "headers">,
  ) => boolean | Promise<boolean>;
  /**
   * Handles an event. The agent receives a success response when the promise resolves, and sends
   * the event again if it rejects. Without this callback, read `events`.
   */
  readonly onEvent?: (event: PushEvent) => unknown;
  /** Called with errors from callbacks. These errors are not sent to callers. */
  readonly onError?: (error: unknown) => void;
  /** Called with each post that was refused or could not be handled. */
  readonly onRefused?: (post: RefusedNotification) => void;
  /** Converts bodies of other versions before this version checks them. */
  readonly read?: PushReader;
  /**
   * Path of the webhook, with or without the path at which Express mounts the receiver; all paths
   * by default.
   */
  readonly path?: string;
  /** Maximum size of a body in bytes; 10 MiB by default. */
  readonly maxBodyBytes?: number;
  /**
   * Maximum number of events that are waiting or being handled; 100 by default. Further events are
   * refused, and the agent must send them again later.
   */
  readonly maxWaiting?: number;
  /** Number of events to remember for deduplication; 10,000 by default. */
  readonly maxSeen?: number;
  /**
   * Age in milliseconds after which events are refused; no limit by default. This limits how long
   * an attacker can replay a copied post, because the receiver only remembers the latest events,
   * and forgets them when the process ends. Events without a status time have no age. Allow enough
   * time for retries by agents: the task kit may retry for a few hours.
   */
  readonly maxAgeMs?: number;
}

/** A post that a receiver has refused or could not handle. */
export interface RefusedNotification {
  /** Status of the response, such as 401 for invalid credentials. */
  readonly status: number;
  /** Reason in the response. */
  readonly reason: string;
  /** Id of the task in the body, if the post was refused after its body was read. */
  readonly taskId?: string;
  /** Path and query of the request. */
  readonly url: string;
  /**
   * Headers of the request, including headers that a proxy adds, such as the caller's address. They
   * may contain secrets.
   */
  readonly headers: CallHeaders;
}

/** Receiver of push notifications. */
export interface PushReceiver {
  /** Handles a request on Deno, Bun, edge workers and web frameworks. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Handler for platform adapters; for Node see `pushListener` in `kit/node.js`. */
  readonly handler: HttpHandler;
  /**
   * The events without duplicates. Events of the same task are in order if the agent posts them one
   * after the other. Empty if `onEvent` is set.
   */
  readonly events: AsyncIterable<PushEvent>;
  /** Ends `events`, and refuses further posts. */
  close(): void;
}
