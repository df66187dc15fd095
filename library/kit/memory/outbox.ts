import type { Claim, Claimed, Delivery, Webhook, WebhookLease } from "../store.js";
import { ignoringErrors } from "./ignoring-errors.js";
import { isSameWebhook } from "./same-webhook.js";
import { Hook, type TaskRecord } from "./task-record.js";

/** Maximum number of events per webhook lease. */
const batchSize = 100;

/** The webhooks of all tasks, and the set of webhooks with undelivered events. */
export class Outbox {
  readonly #ready = new Set<Hook>();
  /** Webhooks that are leased, or that wait for a retry. */
  readonly #later = new Set<Hook>();
  /** Time before which no webhook in `#later` is due. */
  #earliest = Infinity;
  readonly #listeners = new Set<() => void>();

  /**
   * Adds a webhook, or replaces the webhook that has the same id and invalidates its lease. Returns
   * `full` if the task already has `max` webhooks with other ids.
   */
  put(record: TaskRecord, webhook: Webhook, max?: number): "put" | "full" {
    const hooks = (record.hooks ??= new Map<string, Hook>());
    const before = hooks.get(webhook.id);
    if (before === undefined && max !== undefined && hooks.size >= max) return "full";
    if (before !== undefined) this.#rest(before);
    const hook = new Hook(record, webhook, before === undefined ? 0 : before.epoch + 1);
    if (before !== undefined && isSameWebhook(before.webhook, webhook))
      hook.delivered = Math.min(before.delivered, webhook.after);
    hooks.set(webhook.id, hook);
    if (this.#markReady(hook)) this.#announce();
    return "put";
  }

  drop({ hooks }: TaskRecord, id: string): void {
    const hook = hooks?.get(id);
    if (hook === undefined) return;
    hooks?.delete(id);
    this.#rest(hook);
  }

  list({ hooks }: TaskRecord): Webhook[] {
    if (hooks === undefined) return [];
    const webhooks = Array.from(hooks.values(), ({ webhook }) => webhook);
    return webhooks.sort((first, second) => (first.id < second.id ? -1 : 1));
  }

  /** Marks the webhooks of a task with new entries as ready. */
  appended({ hooks }: TaskRecord): void {
    let isDue = false;
    for (const hook of hooks?.values() ?? []) isDue = this.#markReady(hook) || isDue;
    if (isDue) this.#announce();
  }

  /** Removes the webhooks of a deleted task. */
  remove({ hooks }: TaskRecord): void {
    for (const hook of hooks?.values() ?? []) this.#rest(hook);
  }

  /** Leases webhooks that are due and have undelivered events. */
  due({ holder, ttlMs }: Claim, limit: number, now: number): Claimed<WebhookLease> {
    this.#wake(now);
    const leases: WebhookLease[] = [];
    for (const hook of this.#ready) {
      if (leases.length >= limit) return { rows: leases, unreadable: [], hasMore: true };
      const { record, webhook, failures, delivered } = hook;
      this.#ready.delete(hook);
      const events = record.log.eventsAfter(delivered, batchSize);
      if (events.length === 0) continue;
      hook.epoch += 1;
      hook.holder = holder;
      this.#wait(hook, now + ttlMs);
      leases.push({ webhook, scope: record.scope, holder, epoch: hook.epoch, events, failures });
    }
    return { rows: leases, unreadable: [], hasMore: false };
  }

  /**
   * Records the outcome of a delivery, unless another process has leased the webhook in the
   * meantime.
   */
  settle(
    record: TaskRecord,
    { webhook, holder, epoch }: WebhookLease,
    outcome: Delivery,
    now: number,
  ): void {
    const hook = record.hooks?.get(webhook.id);
    if (hook?.epoch !== epoch || hook.holder !== holder) return;
    this.#rest(hook);
    if ("givenUp" in outcome) {
      hook.isGivenUp = true;
      return;
    }
    const { upTo } = outcome;
    const hasMoved = upTo > hook.delivered;
    if (hasMoved) hook.delivered = upTo;
    if ("retryInMs" in outcome) {
      hook.failures = hasMoved ? 1 : hook.failures + 1;
      this.#wait(hook, now + outcome.retryInMs);
      return;
    }
    hook.failures = 0;
    if (this.#markReady(hook)) this.#announce();
  }

  listen(listener: () => void): () => void {
    // Bind the listener to create a new function. A listener that is added twice is then called
    // twice, and each addition can be removed separately.
    const own = listener.bind(undefined);
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  /**
   * Marks a webhook as ready if it has undelivered events, and is neither leased nor waiting for a
   * retry. Returns whether it was marked.
   */
  #markReady(hook: Hook): boolean {
    if (hook.isGivenUp || hook.delivered >= hook.record.generation) return false;
    if (this.#later.has(hook) || this.#ready.has(hook)) return false;
    this.#ready.add(hook);
    return true;
  }

  #rest(hook: Hook): void {
    hook.holder = undefined;
    this.#ready.delete(hook);
    this.#later.delete(hook);
  }

  #wait(hook: Hook, until: number): void {
    hook.wakeAt = until;
    this.#later.add(hook);
    this.#earliest = Math.min(this.#earliest, until);
  }

  #wake(now: number): void {
    if (now < this.#earliest) return;
    let earliest = Infinity;
    for (const hook of this.#later) {
      if (hook.wakeAt > now) {
        earliest = Math.min(earliest, hook.wakeAt);
        continue;
      }
      this.#later.delete(hook);
      this.#ready.add(hook);
    }
    this.#earliest = earliest;
  }

  #announce(): void {
    for (const listener of this.#listeners) ignoringErrors(listener);
  }
}
