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
  #open = 0;
  #bytes = 0;
  #openBytes = 0;
  #webhooks = 0;

  constructor(tally: Tally) {
    this.#tally = tally;
  }

  /** Sets what the task takes now. */
  set(isOpen: boolean, bytes: number, webhooks: number): void {
    const tally = this.#tally;
    const [open, openBytes, openWebhooks] = isOpen ? [1, bytes, webhooks] : [0, 0, 0];
    tally.openTasks += open - this.#open;
    tally.openBytes += openBytes - this.#openBytes;
    tally.webhooks += openWebhooks - this.#webhooks;
    tally.storedBytes += bytes - this.#bytes;
    this.#open = open;
    this.#bytes = bytes;
    this.#openBytes = openBytes;
    this.#webhooks = openWebhooks;
  }
}
