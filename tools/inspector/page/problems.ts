import {
  A2AError,
  cardHint,
  connectionCause,
  TransportError,
  type Advice,
  type ConnectionCause,
} from "../../agents/index.js";

/** A failure in words for users. */
export interface Problem extends Advice {
  /** The error in the words of the program that has reported it. */
  readonly details: string;
  /** Whether the same call may succeed later. */
  readonly canRetry: boolean;
  /** Whether credentials may help. */
  readonly needsCredentials?: boolean;
}

/** Facts about the call that has failed. */
export interface Called {
  /** Whether the call was for the card. Otherwise, the address is from the card. */
  readonly isCard?: boolean;
  /** Whether the user has entered credentials. */
  readonly hasCredentials?: boolean;
}

/** Code of errors if the page does not reach the command that has served it. */
export const stoppedCode = "INSPECTOR_STOPPED";

/** Code of errors for an address that the command may not call. */
export const refusedCode = "INSPECTOR_REFUSED";

type Words = readonly [headline: string, hint: string];

/** Words for the causes of a request without a response. */
const connections: Readonly<Record<ConnectionCause, (host: string) => Words>> = {
  refused: (host) => [
    `No program listens at ${host}`,
    "Start the agent, or check the host and the port",
  ],
  unknownHost: (host) => [
    `The host name of ${host} is unknown`,
    "Check its spelling and your network",
  ],
  silent: (host) => [
    `${host} does not respond`,
    "Check the address, your network and its firewalls",
  ],
  closed: (host) => [
    `${host} closed the connection without a response in HTTP`,
    "If its port uses TLS, write https:// instead of http://. Otherwise, look at the agent's log",
  ],
  plainText: (host) => [
    `The port of ${host} does not use TLS`,
    "Write http:// instead of https://",
  ],
  unknownAuthority: (host) => [
    `The certificate of ${host} is from an unknown authority`,
    "If you trust the authority, start the inspector with NODE_EXTRA_CA_CERTS=FILE",
  ],
  invalidCertificate: (host) => [
    `The certificate of ${host} is expired or for another host`,
    "Check the host name, or renew the certificate",
  ],
  clientCertificate: (host) => [
    `${host} refused the TLS connection`,
    "It may require a client certificate: call it with a2a and --cert",
  ],
};

/** Hints for errors of the protocol. */
const hints: Readonly<Record<string, string>> = {
  TaskNotFoundError: "Tasks lists the tasks that you can access with your credentials",
  TaskNotCancelableError: "The task has probably ended: select it under Tasks to see its state",
  VersionNotSupportedError: "Select an interface with another version",
  PushNotificationNotSupportedError: "Follow the task with Subscribe instead",
  UnsupportedOperationError: "The card lists the capabilities of the agent",
  ContentTypeNotSupportedError: "The card lists the media types that the agent accepts",
  ExtensionSupportRequiredError: "The card lists the required extensions",
  InvalidAgentResponseError: "The agent breaks the protocol. Its response is under Calls",
  InvalidParamsError: "The request is under Calls",
  InternalError: "Look at the agent's log",
};

/** Returns what has happened and what the user can do. */
export function problemOf(error: unknown, called: Called = {}): Problem {
  const details = detailsOf(error);
  if (error instanceof A2AError) {
    if (isAccess(error.httpStatus)) return accessProblem(details, called);
    const { httpStatus, message, name, retryAfterSeconds: seconds } = error;
    const canRetry = httpStatus >= 500 || httpStatus === 429;
    const wait = seconds === undefined ? undefined : `Retry after ${seconds} seconds`;
    return { headline: message, hint: wait ?? hints[name] ?? "", details: name, canRetry };
  }
  if (!(error instanceof TransportError)) {
    const headline = error instanceof Error ? error.message : String(error);
    return { headline, hint: "", details: "", canRetry: true };
  }
  const { status, url } = error;
  const host = hostOf(url);
  if (isAccess(status)) return accessProblem(details, called);
  const [headline, hint] =
    status === undefined ? connectionWords(error, host, called) : statusWords(status, host, called);
  return { headline, hint, details, canRetry: true };
}

/** Returns the host of a URL, or the target of a call over gRPC. */
function hostOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { host, pathname } = new URL(url);
  return host === "" ? pathname : host;
}

function isAccess(status: number | undefined): boolean {
  return status === 401 || status === 403;
}

function accessProblem(details: string, { hasCredentials = false }: Called): Problem {
  return {
    headline: hasCredentials
      ? "The agent rejected the credentials"
      : "The agent requires credentials",
    hint:
      (hasCredentials ? "Check them, their scopes, and the URL" : "Enter them, and check the URL") +
      ", because an agent may also reject unknown paths",
    details,
    canRetry: true,
    needsCredentials: true,
  };
}

function connectionWords(error: TransportError, host: string, { isCard = false }: Called): Words {
  const { cause } = error;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (cause instanceof Error && code === refusedCode)
    return [`The inspector does not call ${host}`, cause.message];
  if (code === stoppedCode)
    return [
      "The inspector has stopped",
      "Start its command again, and open the URL that it prints",
    ];
  if (!URL.canParse(error.url))
    return [`"${host}" is not a URL`, "Enter a URL such as http://127.0.0.1:4000"];
  const known = connectionCause(cause);
  const [headline, hint] =
    known === undefined
      ? [`No response from ${host}`, "Check that the agent is running and that its URL is right"]
      : connections[known](host);
  return [headline, isCard ? hint : `${hint}. ${cardHint(undefined, "it is reachable")}`];
}

function statusWords(status: number, host: string, { isCard = false }: Called): Words {
  if (status === 429) return [`${host} limits requests`, "Wait before you retry"];
  if (status >= 500)
    return [
      `${host} failed with HTTP status ${status}`,
      "Look at the log of the agent or its proxy",
    ];
  if (isCard)
    return [
      `No agent card at ${host}`,
      "Check the URL, or enter the URL of the card. Most agents serve it at " +
        "/.well-known/agent-card.json, below their own URL",
    ];
  const sent = `${host} sent something other than a response in A2A`;
  if (status < 400) return [sent, "The response is under Calls"];
  return status === 404 || status === 405
    ? [
        `${host} has no interface at this path (HTTP status ${status})`,
        cardHint(undefined, "its path is right"),
      ]
    : [`${sent} (HTTP status ${status})`, "The response is under Calls"];
}

/** Returns the messages of an error and its causes. */
function detailsOf(error: unknown): string {
  const lines: string[] = [];
  for (let cause = error; cause instanceof Error && lines.length < 5; { cause } = cause) {
    const isRepeated = lines.some((line) => cause instanceof Error && line.includes(cause.message));
    if (!isRepeated) lines.push(`${cause.name}: ${cause.message}`);
  }
  return lines.join("\n");
}
