import type { CardCaller } from "../../runtime/server/context.js";
import type { ServiceHost } from "../../runtime/server/host.js";
import type { AgentCard } from "../model.js";
import type { TaskEngine } from "./engine.js";
import type { Push } from "../push/push.js";
import type { Sweep } from "./sweep.js";

/** What goes on in a task service beside its calls. */
export interface BackgroundParts {
  readonly host: ServiceHost<AgentCard>;
  readonly engine: TaskEngine;
  readonly push: Push;
  readonly sweep: Sweep | undefined;
}

/** Nobody calls: a card that is made for its caller is made for one without headers. */
const nobody: CardCaller = { headers: { get: () => undefined } };

/**
 * Begins what goes on beside calls: tasks are taken over whose processes have ended, webhooks called, old tasks forgotten.
 * Platforms at the edge allow no timers before the first request, which begins it then.
 */
export class Background {
  readonly #parts: BackgroundParts;
  #hasBegun = false;

  constructor(parts: BackgroundParts) {
    this.#parts = parts;
  }

  /** Begins where that has not happened. Never throws. */
  start(caller: CardCaller = nobody): void {
    if (this.#hasBegun) return;
    const { engine, sweep } = this.#parts;
    try {
      engine.start();
      sweep?.start();
      this.#hasBegun = true;
    } catch {
      // The platform does not allow it yet.
      return;
    }
    void this.#startPush(caller);
  }

  /** Ends it, and waits until that is done. */
  async close(): Promise<void> {
    this.#hasBegun = true;
    const { engine, push, sweep } = this.#parts;
    sweep?.close();
    await Promise.all([engine.close(), push.sender.close()]);
  }

  /** Calls webhooks, where the card says that there are any. */
  async #startPush(caller: CardCaller): Promise<void> {
    const { host, push } = this.#parts;
    try {
      const card = await host.card(caller);
      if (card.capabilities.pushNotifications === true) push.sender.start();
    } catch {
      // A card may need a caller, so the next one is asked for. Who makes a webhook is told what is wrong.
      this.#hasBegun = false;
    }
  }
}
