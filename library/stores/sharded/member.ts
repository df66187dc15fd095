import type { TaskStore } from "../../kit/store.js";
import { checkMarks, ShardError } from "./marks.js";
import type { Assigned } from "./shards.js";

/** The check of the databases of a sharded store, which its members share. */
export class Configuration {
  readonly all: readonly Assigned[];
  readonly #count: number;
  /** The first database that does not match, which stops the use of all databases. */
  mismatch: ShardError | undefined;

  constructor(all: readonly Assigned[], count: number) {
    this.all = all;
    this.#count = count;
  }

  /** Checks the database of a store. Rejects if it fails or does not match. */
  async check(assigned: Assigned): Promise<void> {
    try {
      await checkMarks(assigned, this.all, this.#count);
    } catch (error) {
      if (error instanceof ShardError) this.mismatch ??= error;
      throw error;
    }
  }
}

/** A store of a sharded store. Its database is checked before the first call. */
export class Member {
  readonly name: string;
  /** The store. Only use it directly for methods that neither read nor write tasks. */
  readonly store: TaskStore;
  readonly #assigned: Assigned;
  readonly #configuration: Configuration;
  #isChecked = false;
  #checking: Promise<void> | undefined;

  constructor(assigned: Assigned, configuration: Configuration) {
    this.#assigned = assigned;
    this.#configuration = configuration;
    this.name = assigned.name;
    this.store = assigned.store;
  }

  /**
   * Calls the store after its database was checked. Rejects with a {@link ShardError} if any
   * database of the configuration does not match.
   */
  async call<T>(use: (store: TaskStore) => Promise<T>): Promise<T> {
    if (!this.#isChecked) await this.check();
    const { mismatch } = this.#configuration;
    if (mismatch !== undefined) throw mismatch;
    return use(this.store);
  }

  /** Checks the database once. After a failure, the next call checks it again. */
  check(): Promise<void> {
    this.#checking ??= this.#configuration.check(this.#assigned).then(
      () => {
        this.#isChecked = true;
      },
      (error: unknown) => {
        this.#checking = undefined;
        throw error;
      },
    );
    return this.#checking;
  }
}
