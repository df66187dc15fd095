import { InternalError } from "../../errors.js";
import {
  CursorError,
  LeaseLostError,
  TaskExistsError,
  type TaskStore,
  UnreadableTaskError,
} from "../store.js";

/** Seconds after which a caller may repeat a call that the store has failed. */
const retryAfterSeconds = 5;

/** Methods whose errors callers receive. */
const callerMethods: ReadonlySet<string | symbol> = new Set<keyof TaskStore>([
  "create",
  "read",
  "post",
  "list",
  "putWebhook",
  "webhooks",
  "deleteWebhook",
  "usage",
]);

/** Errors of a store that do not mean that its database is unavailable. */
const otherErrors = [CursorError, LeaseLostError, TaskExistsError, UnreadableTaskError];

/** Returns whether an error of a store means that its database is unavailable. */
export function isOutage(error: unknown): boolean {
  return !otherErrors.some((type) => error instanceof type);
}

/** Recognizes the errors of a store whose database is unavailable. */
export class StoreFailures {
  readonly #errors = new WeakSet();
  readonly #report: (error: unknown) => void;

  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  /** Returns the store, with methods that remember the errors of its database. */
  watch(store: TaskStore): TaskStore {
    // The methods of a store may be replaced at any time, for example by an instrumentation.
    const methods = new WeakMap<object, unknown>();
    const note = (error: unknown): never => {
      const isObject = typeof error === "object" && error !== null;
      if (isObject && isOutage(error)) this.#errors.add(error);
      throw error;
    };
    const get = (_: TaskStore, name: string | symbol): unknown => {
      const own: unknown = Reflect.get(store, name);
      if (typeof own !== "function") return own;
      const known = methods.get(own);
      if (known !== undefined) return known;
      const call = (...args: unknown[]): unknown => Reflect.apply(own, store, args);
      const watching = (...args: unknown[]): unknown =>
        (Reflect.apply(own, store, args) as Promise<unknown>).catch(note);
      const method = callerMethods.has(name) ? watching : call;
      methods.set(own, method);
      return method;
    };
    return new Proxy(store, { get });
  }

  /**
   * Returns the error for the caller of an operation that failed. If the database is unavailable,
   * the error allows a retry, and its cause is reported.
   */
  errorForCaller(error: unknown): unknown {
    if (typeof error !== "object" || error === null || !this.#errors.has(error)) return error;
    this.#report(error);
    return new InternalError(
      `The store of the agent is unavailable: retry after ${String(retryAfterSeconds)} seconds`,
      {
        httpStatus: 503,
        grpcStatus: "UNAVAILABLE",
        retryAfterSeconds,
        cause: error,
      },
    );
  }
}
