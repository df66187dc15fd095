import type { TaskStore } from "../store.js";

/** Milliseconds after which a store that does not respond counts as unavailable. */
const storeWithinMs = 2_000;

/** Checks whether a task service can work: it is open, and its store responds. */
export class Readiness {
  readonly #store: Pick<TaskStore, "read">;
  #isClosed = false;
  /** The check in progress. Probes that arrive at the same time share one call to the store. */
  #checking: Promise<void> | undefined;

  constructor(store: Pick<TaskStore, "read">) {
    this.#store = store;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Resolves if the service is ready. Rejects with an `Error` that states the reason. */
  async check(): Promise<void> {
    if (this.#isClosed) throw new Error("The task service is closed");
    this.#checking ??= this.#askStore().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #askStore(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeUp = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new Error(`The task store has not responded within ${String(storeWithinMs)} ms`));
      }, storeWithinMs);
    });
    try {
      // No task has this id, so the store only has to search an index.
      await Promise.race([this.#store.read({ tenant: "", owner: "" }, "readiness"), timeUp]);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`The task store is not available: ${reason}`, { cause });
    } finally {
      clearTimeout(timer);
    }
  }
}
