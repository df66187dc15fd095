import type { TaskStore } from "../../kit/store.js";
import { isOutage } from "../../kit/calls/store-failures.js";
import { errorOf } from "../../kit/thrown.js";
import { within } from "../../kit/timer.js";
import {
  checkMarks,
  type Layout,
  misplacedTasks,
  namedError,
  othersWithinMs,
  setUp,
  ShardError,
} from "./marks.js";
import type { Assigned } from "./shards.js";

/** The check of the databases of a sharded store, which its members share. */
export class Configuration {
  readonly #layout: Layout;
  readonly #checks = new Map<Assigned, Promise<void>>();
  #settingUp: Promise<void> | undefined;
  /** The first database that does not match, which stops the use of all databases. */
  mismatch: ShardError | undefined;
  /** The stores of the checked databases, by the ids of the databases. */
  readonly #databases = new Map<string, Assigned>();

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  /**
   * Checks the database of a store, and sets up all databases if it is new. Also waits for the
   * checks of the other databases, but not for long, because a store must work while other stores
   * are down. Rejects if the database fails, or if any database does not match.
   */
  async check(assigned: Assigned): Promise<void> {
    const all = Promise.allSettled(this.#layout.all.map((each) => this.#checkOnce(each)));
    await this.#checkOnce(assigned);
    await within(all, othersWithinMs);
    if (this.mismatch !== undefined) throw this.mismatch;
  }

  /** Checks the database of a store once. After a failure, the next call checks it again. */
  #checkOnce(assigned: Assigned): Promise<void> {
    const known = this.#checks.get(assigned);
    if (known !== undefined) return known;
    const check = this.#checkOne(assigned).catch((error: unknown) => {
      this.#checks.delete(assigned);
      throw error;
    });
    this.#checks.set(assigned, check);
    return check;
  }

  async #checkOne(assigned: Assigned): Promise<void> {
    try {
      const isSetUp = await checkMarks(assigned, this.#layout, this.#databases);
      if (!isSetUp) await this.#setUp();
    } catch (error) {
      if (!(error instanceof ShardError)) throw error;
      throw (this.mismatch ??= error);
    }
  }

  /** Sets up all databases once. After a failure, the next call sets them up again. */
  #setUp(): Promise<void> {
    this.#settingUp ??= setUp(this.#layout, this.#databases).catch((error: unknown) => {
      this.#settingUp = undefined;
      if (error instanceof ShardError) throw error;
      const cause = errorOf(error);
      throw new Error(
        `A new database is only used after all databases have responded: ${cause.message}`,
        { cause },
      );
    });
    return this.#settingUp;
  }
}

/** A store of a sharded store. Its database is checked before the first call. */
export class Member {
  readonly name: string;
  /** The store. Only use it directly for methods that neither read nor write tasks. */
  readonly store: TaskStore;
  readonly #assigned: Assigned;
  readonly #configuration: Configuration;
  /** Calls that wait for a response, with the times at which the responses are due. */
  readonly #pending = new Set<{ readonly dueAt: number }>();
  #isChecked = false;
  #checking: Promise<void> | undefined;

  constructor(assigned: Assigned, configuration: Configuration) {
    this.#assigned = assigned;
    this.#configuration = configuration;
    this.name = assigned.name;
    this.store = assigned.store;
  }

  /** Whether the store has not responded to a call within its time-out. */
  get isOverdue(): boolean {
    const now = performance.now();
    return [...this.#pending].some(({ dueAt }) => now > dueAt);
  }

  /**
   * Records a call whose response is due at a time, by the clock of `performance`. Returns a
   * function to call when the response has arrived, which returns whether it is too late.
   */
  expect(dueAt: number): () => boolean {
    const response = { dueAt };
    this.#pending.add(response);
    return () => {
      this.#pending.delete(response);
      return performance.now() > dueAt;
    };
  }

  /**
   * Calls the store after its database was checked. Rejects with a {@link ShardError} if any
   * database of the configuration does not match, and with the name of the store if the database
   * fails.
   */
  async call<T>(use: (store: TaskStore) => Promise<T>): Promise<T> {
    if (!this.#isChecked) await this.check();
    const { mismatch } = this.#configuration;
    if (mismatch !== undefined) throw mismatch;
    try {
      return await use(this.store);
    } catch (error) {
      throw isOutage(error) ? namedError(this.name, error) : error;
    }
  }

  /**
   * Stops the use of all databases, because the database of this store contains tasks that belong
   * to another store.
   */
  refuseTasksOf({ name }: Member): never {
    const tasks = `tasks of owners that belong to the store ${name}`;
    throw (this.#configuration.mismatch ??= misplacedTasks(this.name, tasks));
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
