import type { Usage } from "../store.js";

/** Usage of one owner. Each task updates its own share of the usage. */
export class Tally {
  openTasks = 0;
  openBytes = 0;
  webhooks = 0;
  storedBytes = 0;

  usage(withStored: boolean): Usage {
    const { openTasks, openBytes, webhooks, storedBytes } = this;
    return { openTasks, openBytes, webhooks, ...(withStored && { storedBytes }) };
  }
}

/** Usage that one task has added to the tally of its owner. */
export class Share {
  readonly #tally: Tally;
  #isOpen = false;
  #bytes = 0;
  #webhooks = 0;

  constructor(tally: Tally) {
    this.#tally = tally;
  }

  /** Sets the current usage of the task. */
  set(isOpen: boolean, bytes: number, webhooks: number): void {
    const tally = this.#tally;
    tally.storedBytes += bytes - this.#bytes;
    if (this.#isOpen) {
      tally.openTasks -= 1;
      tally.openBytes -= this.#bytes;
      tally.webhooks -= this.#webhooks;
    }
    if (isOpen) {
      tally.openTasks += 1;
      tally.openBytes += bytes;
      tally.webhooks += webhooks;
    }
    this.#isOpen = isOpen;
    this.#bytes = bytes;
    this.#webhooks = webhooks;
  }
}
