import { openScope } from "../../runtime/client/scope.js";
import type { Claim, Delivery, EventEntry, TaskStore, Webhook, WebhookLease } from "../store.js";
import type { PostFacts } from "../kit-facts.js";
import { within, withoutHold } from "../timer.js";
import { delayAfter, type Failure, failureFrom, failureOf } from "./retry.js";
import { FairQueue, type JobEnd } from "./fair-queue.js";
import { bodyOf, headersOf, type PushBodyOf } from "./notification.js";
import { fetchTransport, platformTransport } from "./platform-transport.js";
import { PushJob } from "./push-job.js";
import type { PushOptions } from "./push-options.js";
import type { Tracing } from "../observe/tracing.js";
import type { PushTransport } from "./push-transport.js";
import { mayBePrivate, refusalOf } from "./webhook-url.js";

/** Dependencies of {@link PushSender}. */
export interface PushSenderParts {
  /** Facts about the agent's protocol version. */
  readonly protocol: PostFacts;
  readonly store: Pick<TaskStore, "claimWebhooks" | "delivered" | "onDue" | "resetAlarm">;
  /** Name of the process as a lease holder. */
  readonly holder: string;
  /** Minimum duration of a lease in milliseconds; 30 seconds by default. */
  readonly leaseMs?: number;
  readonly options?: PushOptions | undefined;
  /** Called with permanent errors. Must not throw. */
  readonly report: (error: unknown) => void;
  /** Returns the body of an event; by default, the JSON of a stream response. */
  bodyOf?(lease: WebhookLease, entry: EventEntry): ReturnType<PushBodyOf>;
  /** Posts events in the traces of the calls whose turns created them. */
  readonly tracing?: Pick<Tracing, "post"> | undefined;
  /** Returns the time in milliseconds since 1970. */
  readonly now?: () => number;
  /** Returns a random number from 0 to 1. */
  readonly random?: () => number;
}

/**
 * Error that is reported when the agent stops posting to a webhook. The `cause` is the failure of
 * the last attempt.
 */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
  readonly taskId: string;
  readonly webhookId: string;

  constructor({ taskId, id, config: { url } }: Webhook, attempts: number, cause: unknown) {
    const subject = `The webhook ${id} of the task ${taskId} at ${withoutSecrets(url)}`;
    const reason = cause instanceof Error ? `: ${cause.message}` : "";
    super(`${subject} was given up after ${String(attempts)} attempts${reason}`, { cause });
    this.taskId = taskId;
    this.webhookId = id;
  }
}

/** Returns the origin and the path of a URL, without its credentials and its query. */
function withoutSecrets(url: string): string {
  const { origin, pathname } = URL.canParse(url)
    ? new URL(url)
    : { origin: "", pathname: "an invalid URL" };
  return origin + pathname;
}

/**
 * Maximum interval for polling the store. Polling finds webhooks for which no notification arrived,
 * such as webhooks of stopped processes.
 */
const maxPollMs = 15_000;

/** Number of polls during the lifetime of a lease. */
const polls = 3;

/** Attempts that become due within this number of milliseconds share a timer. */
const tickMs = 50;

/** Maximum number of leases that wait for a slot, and maximum size of their events in bytes. */
const maxWaiting = 10_000;
const maxWaitingBytes = 64 * 1024 * 1024;

/** Time that `close` waits for the posts that it has aborted, in milliseconds. */
const recordWithinMs = 1_000;

/**
 * Posts the events of tasks to their webhooks, in order. Posts an event again until the webhook
 * accepts it or the maximum number of attempts is reached. A webhook may receive an event twice if
 * its response is lost, or if the process stops before it records the outcome.
 */
export class PushSender {
  readonly #parts: PushSenderParts;
  readonly #options: PushOptions;
  readonly #timeoutMs: number;
  readonly #claim: Claim;
  readonly #queue: FairQueue<PushJob>;
  readonly #stop = new AbortController();
  readonly #timers = new Map<number, ReturnType<typeof setTimeout>>();
  #transport: PushTransport | undefined;
  #poll: ReturnType<typeof setInterval> | undefined;
  #unlisten: (() => void) | undefined;
  #isWoken = false;
  #isClaiming = false;
  /** The current or last search for due webhooks. */
  #claims: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(parts: PushSenderParts) {
    const { options = {}, holder, leaseMs = 30_000 } = parts;
    const { timeoutMs = 10_000, maxParallel = 100, maxParallelPerHost = 6 } = options;
    this.#parts = parts;
    this.#options = options;
    this.#timeoutMs = timeoutMs;
    this.#claim = { holder, ttlMs: Math.max(leaseMs, 4 * timeoutMs) };
    const limits = { waiting: maxWaiting, waitingBytes: maxWaitingBytes };
    this.#queue = new FairQueue(
      { parallel: maxParallel, parallelPerHost: maxParallelPerHost, ...limits },
      (job) => this.#run(job),
      () => {
        if (this.#isWoken) this.wake();
      },
    );
  }

  /**
   * Starts the sender. Further calls have no effect. The constructor does not start it, because
   * edge platforms do not allow timers before the first request.
   * @throws An `Error` if addresses must be checked and the platform cannot check them.
   */
  start(): void {
    if (this.#transport !== undefined || this.#closing !== undefined) return;
    const { transport, fetch, maxLookups } = this.#options;
    // If an alarm starts this process when a webhook is due, polls are not necessary.
    if (this.#parts.store.resetAlarm === undefined)
      this.#poll ??= withoutHold(
        setInterval(this.wake, Math.min(maxPollMs, this.#claim.ttlMs / polls)),
      );
    this.#transport =
      transport ?? (fetch === undefined ? platformTransport(maxLookups) : fetchTransport(fetch));
    this.#reportingErrors(() => (this.#unlisten = this.#parts.store.onDue?.(this.#takeDue)));
    this.wake();
  }

  /** Makes the sender check for due webhooks. */
  readonly wake = (): void => {
    this.#isWoken = true;
    if (!this.#isClaiming && this.#transport !== undefined) this.#claims = this.#claimDue();
  };

  /** Whether this sender searches for due webhooks, or posts events. */
  get isBusy(): boolean {
    return this.#isClaiming || this.#queue.isBusy;
  }

  /** Resolves when the current search and the running posts have ended. Further posts may follow. */
  async idle(): Promise<void> {
    await this.#claims;
    await this.#queue.idle();
  }

  /** Checks for due webhooks, unless this sender has no room for them. */
  readonly #takeDue = (): boolean => {
    this.wake();
    return this.#closing === undefined && this.#queue.room > 0;
  };

  /**
   * Stops delivery, waits for running posts for a limited time, and closes all connections. Events
   * that are not delivered stay in the store.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#reportingErrors(() => this.#unlisten?.());
    clearInterval(this.#poll);
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    this.#queue.clear();
    const { closeWithinMs = 5_000 } = this.#options;
    // First wait for running posts to end. Then abort the remaining posts, and give them time to
    // record their outcomes.
    const idle = this.#queue.idle();
    await within(idle, closeWithinMs);
    this.#stop.abort(new DOMException("The agent was closed", "AbortError"));
    await within(idle, recordWithinMs);
    this.#reportingErrors(() => this.#transport?.close?.());
  }

  /** Calls a callback and reports its errors. */
  #reportingErrors(call: () => unknown): void {
    try {
      call();
    } catch (error) {
      this.#parts.report(error);
    }
  }

  async #claimDue(): Promise<void> {
    this.#isClaiming = true;
    try {
      while (this.#isWoken && this.#closing === undefined && this.#queue.room > 0) {
        this.#isWoken = false;
        // Measure leases from the start of the claim, because they may begin at any time during the
        // call.
        const since = performance.now();
        const found = await this.#parts.store.claimWebhooks(this.#claim, this.#queue.room);
        const { rows, unreadable, hasMore } = found;
        for (const error of [...unreadable, ...(found.errors ?? [])]) this.#parts.report(error);
        if (rows.length === 0 && !hasMore) continue;
        this.#isWoken = true;
        for (const lease of rows)
          this.#add(new PushJob(lease, (lease.since ?? since) + this.#claim.ttlMs / 2));
        // Yield to the event loop, even if many webhooks are due.
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
    } catch (error) {
      this.#parts.report(error);
    } finally {
      this.#isClaiming = false;
    }
  }

  /**
   * Queues a job. If the queue does not have room for the job, the webhook becomes due again when
   * the lease expires.
   */
  #add(job: PushJob): void {
    if (this.#closing === undefined) this.#queue.add(job);
  }

  async #run(job: PushJob): Promise<JobEnd> {
    try {
      return await this.#deliver(job);
    } catch (error) {
      this.#parts.report(error);
      return undefined;
    }
  }

  /**
   * Posts the events of a lease one after the other.
   * @throws If the lease has an invalid form.
   */
  async #deliver(job: PushJob): Promise<JobEnd> {
    const { lease } = job;
    let upTo: number | undefined;
    for (const entry of lease.events) {
      if (this.#closing !== undefined || job.isOver()) break;
      const failure = await this.#post(job, entry);
      if (failure === undefined) {
        upTo = entry.generation;
        continue;
      }
      // A post that `close` has aborted does not count as a failure of the webhook.
      if (!this.#stop.signal.aborted) {
        // After an accepted event, the number of failures starts at 1 again.
        const failures = upTo === undefined ? lease.failures + 1 : 1;
        await this.#recordOutcome(
          lease,
          this.#outcomeOf(lease, failure, failures, upTo ?? entry.generation - 1),
        );
        return failure.isSilent === true ? "silent" : "responded";
      }
      break;
    }
    if (upTo === undefined) return undefined;
    await this.#recordOutcome(lease, { upTo });
    return "responded";
  }

  /** Posts an event, and returns the failure, if any. */
  async #post({ lease, owner }: PushJob, entry: EventEntry): Promise<Failure | undefined> {
    const { webhook } = lease;
    const scope = openScope(this.#stop.signal, this.#timeoutMs);
    try {
      const refusal = refusalOf(webhook.config.url, this.#options);
      if (refusal !== undefined)
        return { kind: "refused", reason: new Error(`The URL ${refusal}`), afterMs: 0 };
      const url = new URL(webhook.config.url);
      const { protocol } = this.#parts;
      const body = await scope.race(
        Promise.resolve(this.#parts.bodyOf?.(lease, entry) ?? bodyOf(entry, protocol)),
      );
      const request = {
        url,
        headers: await scope.race(headersOf(webhook, entry.generation, body, protocol)),
        body: body.body,
        mayBePrivate: mayBePrivate(url, this.#options),
        owner,
        signal: scope.signal,
      };
      const transport = this.#transport;
      if (transport === undefined) throw new Error("The sender has not been started");
      const { tracing } = this.#parts;
      const posting =
        tracing === undefined
          ? transport.post(request)
          : tracing.post(request, entry.trace, (traced) => transport.post(traced));
      const response = await scope.race(posting);
      return failureOf(response, (this.#parts.now ?? Date.now)());
    } catch (thrown) {
      return failureFrom(thrown);
    } finally {
      scope.end();
    }
  }

  #outcomeOf(
    { webhook }: WebhookLease,
    failure: Failure,
    failures: number,
    upTo: number,
  ): Delivery {
    const retryInMs = delayAfter(
      failure,
      failures,
      this.#options,
      this.#parts.random ?? Math.random,
    );
    if (retryInMs !== undefined) return { upTo, retryInMs };
    this.#parts.report(new WebhookError(webhook, failures, failure.reason));
    return { givenUp: true };
  }

  async #recordOutcome(lease: WebhookLease, outcome: Delivery): Promise<void> {
    try {
      await this.#parts.store.delivered(lease, outcome);
      if ("retryInMs" in outcome) this.#wakeIn(outcome.retryInMs);
    } catch (error) {
      this.#parts.report(error);
    }
  }

  #wakeIn(ms: number): void {
    // Round up, so that the webhook is due when the timer ends.
    const at = Math.ceil((performance.now() + ms + 2) / tickMs) * tickMs;
    if (this.#closing !== undefined || this.#timers.has(at)) return;
    const ring = (): void => {
      this.#timers.delete(at);
      this.wake();
    };
    this.#timers.set(at, withoutHold(setTimeout(ring, at - performance.now())));
  }
}
