import type { A2AError, ClientErrors } from "../protocol/error.js";
import type { TransportError } from "../protocol/transport.js";

// This module imports no values, because bundlers would move them out of the file that every client
// loads.

/** Maximum number of characters of a received text in a message. */
const maxShown = 200;

/** A response with an error status. */
interface FailedResponse {
  readonly response: Response;
  readonly unexpected: (what: string) => TransportError;
}

/**
 * Returns the error for a response with an error status, which has the text `text`. Without `read`,
 * the response is an agent card.
 */
export function errorIn(
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
  const fault = error ?? unknownResponse(response, unexpected, text, body);
  const Access =
    status === 401 ? errors.unauthenticated : status === 403 ? errors.permissionDenied : undefined;
  if (Access === undefined)
    return read === undefined ? unexpected("something other than an agent card") : fault;
  if (read === undefined)
    return new Access(
      `${unexpected("").url} responded with HTTP status ${String(status)}: the card itself ` +
        "requires credentials, or the URL is wrong",
      { cause: fault },
    );
  const [message, details] = [error?.message, error?.details];
  return isPrecise(error, errors) ? fault : new Access(message, { details, cause: fault });
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
  unexpected: (what: string) => TransportError,
  text: string,
  body: unknown,
): TransportError {
  const { status, type, headers } = response;
  const error = unexpected("an unknown error format");
  const { url } = error;
  const location = headers.get("location") ?? "";
  if (type === "opaqueredirect" || (status > 300 && status < 400 && location !== "")) {
    const isKnown = location !== "" && URL.canParse(location, url);
    const to = isKnown ? `to ${new URL(location, url).href}` : "to another URL";
    return unexpected(
      `a redirect ${to}, which calls do not follow: correct the URL in the agent card`,
    );
  }
  const found =
    messageIn(body) ?? (/^text\/plain\b/i.test(headers.get("content-type") ?? "") ? text : "");
  const shown = found.replace(/\s+/g, " ").trim();
  if (shown !== "")
    error.message += `: ${shown.length > maxShown ? `${shown.slice(0, maxShown - 1)}…` : shown}`;
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
