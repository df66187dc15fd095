import type { Usage } from "../store.js";

/** What the tasks of one owner take. Tasks add and subtract their changes. */
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

/** What one task has added to the tally of its owner. */
export class Share {
  readonly #tally: Tally;
  #isOpen = false;
  #bytes = 0;
  #webhooks = 0;

  constructor(tally: Tally) {
    this.#tally = tally;
  }

  /** Sets what the task takes now. */
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
