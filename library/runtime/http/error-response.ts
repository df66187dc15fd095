import type { A2AError, ClientErrors } from "../protocol/error.js";
import { addRetryAfter } from "../protocol/retry-after.js";
import type { TransportError } from "../protocol/transport.js";

// This module only imports values that no client loads before, because bundlers would move other
// values out of the file that every client loads.

/** Maximum number of characters of a received text in a message. */
const maxShown = 200;

/** A response with an error status. */
interface FailedResponse {
  readonly response: Response;
  readonly unexpected: (found: string) => TransportError;
}

/**
 * Returns the error for a response with an error status, which has the text `text`, with the
 * seconds of its header `Retry-After`. Without `read`, the response is an agent card.
 */
export function errorIn(
  failed: FailedResponse,
  text: string,
  errors: ClientErrors,
  Base: typeof A2AError,
  read?: (body: unknown) => unknown,
): A2AError | TransportError {
  const error = errorWithoutDelay(failed, text, errors, Base, read);
  return addRetryAfter(error, failed.response.headers.get("retry-after"));
}

function errorWithoutDelay(
  { response, unexpected }: FailedResponse,
  text: string,
  errors: ClientErrors,
  Base: typeof A2AError,
  read?: (body: unknown) => unknown,
): A2AError | TransportError {
  const { status } = response;
  const body = parsed(text);
  const found = read?.(body);
  const error = found instanceof Base ? found : undefined;
  const isCard = read === undefined;
  const fault = error ?? unknownResponse(response, unexpected, text, body, isCard);
  const Access = accessError(status, errors);
  if (Access === undefined) return fault;
  if (isCard)
    return new Access(
      `${unexpected("").url} responded with HTTP status ${String(status)}: the card itself ` +
        "requires credentials, or the URL is wrong",
      { cause: fault },
    );
  const { message, details }: Partial<A2AError> = error ?? {};
  return isPrecise(error, errors) ? fault : new Access(message, { details, cause: fault });
}

/** Returns the class of the error for missing credentials or missing permission. */
function accessError(
  status: number,
  { unauthenticated, permissionDenied }: ClientErrors,
): ClientErrors["unauthenticated"] | undefined {
  if (status === 401) return unauthenticated;
  return status === 403 ? permissionDenied : undefined;
}

/**
 * Returns whether an error is defined by the protocol and more specific than an invalid request or
 * an internal error.
 */
export function isPrecise(
  error: unknown,
  { classes, invalidRequest, internal }: ClientErrors,
): error is A2AError {
  return classes.some(
    (Known) => error instanceof Known && Known !== invalidRequest && Known !== internal,
  );
}

/** Returns the value of JSON; `undefined` for any other text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the error for a response with an error status that is not an error of the protocol. The
 * message names the target of a redirect, or contains the text of the response.
 */
function unknownResponse(
  response: Response,
  unexpected: (found: string) => TransportError,
  text: string,
  body: unknown,
  isCard: boolean,
): TransportError {
  const { status, type, headers } = response;
  const error = unexpected(
    isCard ? "something other than an agent card" : "an unknown error format",
  );
  const { url } = error;
  const location = headers.get("location") ?? "";
  const isRedirect = status > 300 && status < 400 && location !== "";
  // Browsers hide the status and the target of a redirect.
  if (!isCard && (type === "opaqueredirect" || isRedirect)) {
    const isKnown = location !== "" && URL.canParse(location, url);
    const target = isKnown ? new URL(location, url).href : "another URL";
    return unexpected(
      `a redirect to ${target}, which calls do not follow: correct the URL of the server`,
    );
  }
  const isPlainText = /^text\/plain\b/i.test(headers.get("content-type") ?? "");
  const message = messageIn(body) ?? (isPlainText ? text : "");
  const line = message.replace(/\s+/g, " ").trim();
  const shown = line.length > maxShown ? `${line.slice(0, maxShown - 1)}…` : line;
  if (shown !== "") error.message += `: ${shown}`;
  return error;
}

/** Returns the message in the JSON of an error, in one of the forms that servers use. */
function messageIn(body: unknown): string | undefined {
  const { error, message, detail } = membersOf(body);
  return [membersOf(error)["message"], error, message, detail].find(
    (value) => typeof value === "string",
  );
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return (value ?? {}) as Record<string, unknown>;
}
