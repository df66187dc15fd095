import { isObject } from "../base/json.js";
import { inVersion, type A2AError, type ErrorTable } from "../protocol/error.js";
import { copyProblem, isSendable } from "../protocol/sendable.js";
import type { CallContext } from "./context.js";
import type { Exchange } from "./exchange.js";
import type { Reporter } from "./hooks.js";

/** Converts thrown values to errors that are safe to send, and reports internal errors. */
export class Failures {
  readonly #errors: ErrorTable;
  readonly #reporter: Reporter;

  constructor(errors: ErrorTable, reporter: Reporter) {
    this.#errors = errors;
    this.#reporter = reporter;
  }

  /**
   * Returns the error to send for a thrown value, and reports internal errors. Called once for each
   * thrown value.
   */
  toSend(thrown: unknown, exchange?: Exchange, context?: CallContext): A2AError {
    const error = this.#sendable(thrown, exchange, context);
    const sent = exchange?.version.adapter?.error(error) ?? error;
    // The challenge belongs to HTTP, so it is the same in every version.
    if (error.challenge !== undefined) Object.assign(sent, { challenge: error.challenge });
    if (exchange?.observation !== undefined) exchange.observation.error = sent;
    return sent;
  }

  /**
   * Writes a response for the binding. If the binding cannot represent a response, the response
   * counts as invalid.
   */
  written<T>(response: unknown, context: CallContext, write: (response: unknown) => T): T {
    try {
      return write(response);
    } catch (cause) {
      this.#reporter.error(cause, context);
      throw new this.#errors.invalidResponse(undefined, { cause });
    }
  }

  #sendable(thrown: unknown, exchange?: Exchange, context?: CallContext): A2AError {
    if (isSendable(thrown)) return inVersion(thrown, this.#errors);
    const isExpected = exchange?.aborted === true && isAbort(thrown);
    if (!isExpected) this.#reporter.error(copyProblem(thrown) ?? thrown, context);
    // The message is neutral, so that no internal details reach a caller.
    return new this.#errors.internal(undefined, { cause: thrown });
  }
}

/** Returns whether a thrown value is only a consequence of an aborted signal. */
function isAbort(thrown: unknown): boolean {
  try {
    return isObject(thrown) && thrown["name"] === "AbortError";
  } catch {
    return false; // Services may throw any value, including proxies that throw when they are read.
  }
}
