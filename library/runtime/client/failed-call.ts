import type { A2AError, ErrorClass } from "../protocol/error.js";
import type { ClientOperation, ServiceFacts } from "../protocol/operation.js";
import type { Call, TransportError } from "../protocol/transport.js";
import { isNoConnection } from "./no-connection.js";

// Clients load this module after a failed call. It imports no module that clients load before,
// because bundlers would move such a module out of the file that every client loads.

/** Error after which a call was passed to the next interface. */
export type Failure = TransportError | A2AError;

/** Facts about a failed call. */
export interface FailedCall {
  readonly call: Call;
  readonly protocol: ServiceFacts;
  /** The origin of the interface, if the interface must not receive the headers of the call. */
  readonly foreignOrigin: string | undefined;
  /** The error of an agent that does not serve the version of a call. */
  readonly versionNotSupported: ErrorClass | undefined;
  readonly TransportError: typeof TransportError;
}

/**
 * Returns the error of a call if the call may be passed to the next interface, and whether the
 * interface does not serve the version of the call. Otherwise, throws the error.
 */
export function judge(
  error: unknown,
  failed: FailedCall,
): { readonly failure: Failure; readonly isUnserved: boolean } {
  const { call, versionNotSupported: NotServed, TransportError } = failed;
  const { operation, signal } = call;
  explain(error, failed);
  const isUnserved = NotServed !== undefined && error instanceof NotServed;
  if (isUnserved && !streamsRequests(operation)) return { failure: error, isUnserved };
  // An aborted call is not a failure of the interface.
  if (!(error instanceof TransportError) || signal?.aborted) throw error;
  if (!mayRepeat(error, operation)) throw error;
  return { failure: error, isUnserved: false };
}

/**
 * If an error has status 401 or 403, adds to its message that headers were not sent, which may be
 * the cause.
 */
function explain(error: unknown, { call: { headers }, protocol, foreignOrigin }: FailedCall): void {
  if (foreignOrigin === undefined || !(error instanceof Error)) return;
  // A `TransportError` has a `status`, and an `A2AError` has an `httpStatus`.
  const { status, httpStatus } = error as Partial<TransportError & A2AError>;
  const received = status ?? httpStatus;
  if (received !== 401 && received !== 403) return;
  const sent = Object.values(protocol.headers ?? {}).map((name: string) => name.toLowerCase());
  const withheld = Object.keys(headers).filter((name) => !sent.includes(name));
  if (withheld.length > 0)
    error.message +=
      `; headers (${withheld.join(", ")}) were not sent to ${foreignOrigin}: ` +
      "add it to the option trustedOrigins to send them there";
}

/**
 * Returns whether a call can be repeated safely, because the agent has not received the call or
 * because the operation changes nothing.
 */
function mayRepeat(error: TransportError, operation: ClientOperation): boolean {
  if (streamsRequests(operation) || isGivenUp(error.cause)) return false;
  const hasNoResponse = error.status === undefined;
  return wasNotSent(error) || (hasNoResponse && operation.safe === true);
}

/**
 * Returns whether a custom `fetch` has aborted a call by its own signal, for example after a
 * time-out.
 */
function isGivenUp(cause: unknown): boolean {
  return (
    cause instanceof DOMException && (cause.name === "TimeoutError" || cause.name === "AbortError")
  );
}

function wasNotSent({ unsent, cause }: TransportError): boolean {
  return unsent === true || isNoConnection(cause);
}

function streamsRequests({ streaming }: ClientOperation): boolean {
  return streaming === "client" || streaming === "both";
}

/** Returns the error of a call that has failed at all interfaces. */
export function allFailed(
  failures: readonly Failure[],
  { operation }: Call,
  Failed: typeof TransportError,
): Failure {
  const first = failures.at(0);
  if (first === undefined)
    return new Failed(`No interface of the agent supports ${operation.name}`, { url: "" });
  if (failures.length === 1) return first;
  const message =
    "No interface of the agent is reachable: " + failures.map((error) => error.message).join("; ");
  const unreached = failures.filter((failure) => failure instanceof Failed);
  const areAllUnreached = unreached.length === failures.length;
  const unsent = areAllUnreached && unreached.every(wasNotSent);
  const url = unreached.at(0)?.url ?? "";
  return new Failed(message, { url, unsent, cause: new AggregateError(failures) });
}
