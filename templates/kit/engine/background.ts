import type { CardCaller } from "../../runtime/server/context.js";
import type { ServiceHost } from "../../runtime/server/host.js";
import type { AgentCard } from "../model.js";
import type { TaskEngine } from "./engine.js";
import type { Push } from "../push/push.js";
import type { Cleanup } from "./cleanup.js";

/** Parts of the background work of a task service. */
export interface BackgroundParts {
  readonly host: ServiceHost<AgentCard>;
  readonly engine: TaskEngine;
  readonly push: Push;
  readonly sweep: Cleanup | undefined;
}

/** Caller without headers, to request the agent card if it depends on the caller. */
const nobody: CardCaller = { headers: { get: () => undefined } };

/**
 * Starts background work: claims tasks whose processes have ended, posts to webhooks, and deletes expired tasks. On
 * edge platforms, which do not allow timers before the first request, the first request starts this work.
 */
export class Background {
  readonly #parts: BackgroundParts;
  #hasBegun = false;

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
      // The platform does not allow timers yet, so the next call retries.
      return;
    }
    void this.#startPush(caller);
  }

  /** Stops the background work and waits until it has stopped. */
  async close(): Promise<void> {
    this.#hasBegun = true;
    const { engine, push, sweep } = this.#parts;
    sweep?.close();
    await Promise.all([engine.close(), push.sender.close()]);
  }

  /** Starts posting to webhooks if the agent card declares push notifications. */
  async #startPush(caller: CardCaller): Promise<void> {
    const { host, push } = this.#parts;
    try {
      const card = await host.card(caller);
      if (card.capabilities.pushNotifications === true) push.sender.start();
    } catch {
      // The card may require a real caller, so the next call retries. The call that creates a webhook reports the
      // error.
      this.#hasBegun = false;
    }
  }
}
