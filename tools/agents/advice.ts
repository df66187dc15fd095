import { cardUrls } from "./card.js";
import { connectionCause, type ConnectionCause } from "./connection-cause.js";

/** A failure in words for users: what happened, and what to do. */
export interface Advice {
  readonly headline: string;
  readonly hint: string;
}

/** A failed request, such as a `TransportError`. */
export interface FailedRequest {
  readonly message: string;
  readonly url: string;
  readonly cause?: unknown;
}

/** The agent that the user has named, and where. */
export interface NamedAgent {
  /** The agent: a host, a URL, or a file. */
  readonly reference?: string | undefined;
  /** Where the user has named the agent, such as `--agent-card`. */
  readonly source?: string | undefined;
}

/** Hints for causes that options of the command line can mend. */
const causeHints: Readonly<Partial<Record<ConnectionCause, string>>> = {
  unknownAuthority: "If you trust the authority that issued its certificate, pass --cacert",
  clientCertificate: "The agent may require another client certificate: pass --cert and --key",
  plainText: "The port does not use TLS: write http:// instead of https://",
};

/** Returns the advice for a request that has received no response. */
export function connectionAdvice(error: FailedRequest, agent: NamedAgent): Advice {
  const headline = withoutOpenSsl(error.message);
  const cause = connectionCause(error.cause);
  const causeHint = cause === undefined ? undefined : causeHints[cause];
  if (causeHint !== undefined) return { headline, hint: causeHint };
  const { reference = "", source } = agent;
  const host = hostOf(error.url);
  const isNamed = reference === "" || cardUrls(reference).some((url) => hostOf(url) === host);
  if (!isNamed) return { headline, hint: cardHint(reference, "it is reachable") };
  const from = source === undefined ? "" : `, and the address, which is from ${source}`;
  return { headline, hint: `Check that the agent is running${from}` };
}

/** Returns the host of a URL. A target of gRPC such as `localhost:50051` is a host. */
function hostOf(url: string): string {
  const host = URL.canParse(url) ? new URL(url).host : "";
  return host === "" ? url : host;
}

/** Returns the advice for a URL in a card at which a server, but no agent, has responded. */
export function pathAdvice({ message }: FailedRequest, { reference }: NamedAgent): Advice {
  return { headline: message, hint: cardHint(reference, "its path is right") };
}

/** Returns the hint for an address that the user has not entered. */
export function cardHint(reference: string | undefined, check: string): string {
  const card = reference === undefined ? "The card" : `The card of ${reference}`;
  return `${card} names this address: check that ${check}. An agent usually reads it from PUBLIC_URL`;
}

/**
 * Replaces the lines of OpenSSL in a message by their reasons. A line has the form
 * `thread:error:code:library:function:reason:file:line:`.
 */
function withoutOpenSsl(message: string): string {
  const line = /\b[\dA-F]{1,16}:error:[\dA-F]+:[^:\n]*:[^:\n]*:([^:\n]+):[^:\n]*:\d+:[^\n]*\n?/g;
  return message.replace(line, (_, reason: string) => `TLS error "${reason}"`);
}
