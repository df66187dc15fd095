import type { CardCaller } from "../../runtime/server/context.js";
import type { ServiceHost } from "../../runtime/server/host.js";
import type { AgentCard } from "../model.js";
import type { TaskEngine } from "./engine.js";
import type { Push } from "../push/push.js";
import type { TaskStore } from "../store.js";
import { within } from "../timer.js";
import type { Cleanup } from "./cleanup.js";

/** Dependencies of a task service's background work. */
export interface BackgroundParts {
  readonly host: ServiceHost<AgentCard>;
  readonly store: TaskStore;
  readonly engine: TaskEngine;
  readonly push: Push;
  readonly sweep: Cleanup | undefined;
}

/** A caller without headers, to request an agent card that depends on the caller. */
const nobody: CardCaller = { headers: { get: () => undefined, entries: () => [] } };

/**
 * Starts background work: claims tasks whose processes have ended, sends push notifications, and
 * deletes expired tasks. On edge platforms, which do not allow timers before the first request, the
 * first request starts this work.
 */
export class Background {
  readonly #parts: BackgroundParts;
  #hasBegun = false;
  /** The start of the push notifications. */
  #startsPush: Promise<void> = Promise.resolve();

  constructor(parts: BackgroundParts) {
    this.#parts = parts;
  }

  /** Starts the background work, unless it is already running. Never throws. */
  start(caller: CardCaller = nobody): void {
    if (this.#hasBegun) return;
    const { engine, sweep } = this.#parts;
    try {
      engine.start();
      sweep?.start();
      this.#hasBegun = true;
    } catch {
      // The platform does not allow timers yet, so retry with the next call.
      return;
    }
    this.#startsPush = this.#startPush(caller);
  }

  /**
   * Claims the tasks and webhooks that are due, deletes expired tasks, and waits until this process
   * works on nothing, but not longer than `withinMs`. Never rejects.
   */
  async workDue(withinMs: number): Promise<void> {
    const { engine, push, store, sweep } = this.#parts;
    this.start();
    await this.#startsPush;
    push.sender.wake();
    await Promise.all([engine.claimDue(), sweep?.cleanUp()]);
    store.resetAlarm?.();
    await within(this.#idle(), withinMs);
  }

  async #idle(): Promise<void> {
    const { engine, push } = this.#parts;
    // The end of a turn can make a webhook due, and its response can wake a task.
    while (engine.isBusy || push.sender.isBusy)
      await Promise.all([engine.idle(), push.sender.idle()]);
  }

  /** Stops the background work and waits until it has stopped. */
  async close(): Promise<void> {
    this.#hasBegun = true;
    const { engine, push, sweep } = this.#parts;
    sweep?.close();
    await Promise.all([engine.close(), push.sender.close()]);
  }

  /** Starts to send push notifications if the agent card declares them. */
  async #startPush(caller: CardCaller): Promise<void> {
    const { host, push } = this.#parts;
    try {
      const card = await host.card(caller);
      if (card.capabilities.pushNotifications === true) push.sender.start();
    } catch {
      // The function that creates the card may require a real caller, so retry with the next call.
      // The call that creates a webhook reports the error.
      this.#hasBegun = false;
    }
  }
}
