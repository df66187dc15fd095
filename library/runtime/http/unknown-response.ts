import type { TransportError } from "../protocol/transport.js";

/** Maximum number of characters of a received text in a message. */
const maxShown = 200;

/**
 * Returns the error for a response with an error status that is not an error of the protocol. The
 * message names the target of a redirect, or contains the text of the response.
 */
export function unknownResponse(
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
  // This module imports no values, because bundlers would move them out of the file that every
  // client loads.
  return (value ?? {}) as Record<string, unknown>;
}
