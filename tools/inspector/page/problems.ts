import { A2AError, TransportError } from "../../agents/index.js";

/** A failure in words for users. */
export interface Problem {
  /** The failure in a sentence. */
  readonly headline: string;
  /** Instruction for the user. */
  readonly hint: string;
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

/** Words for the codes that Node and OpenSSL report if no response arrives. */
const connections: readonly (readonly [code: RegExp, words: (host: string) => Words])[] = [
  [
    /^ECONNREFUSED$/,
    (host) => [`No program listens at ${host}`, "Start the agent, or check the host and the port"],
  ],
  [
    /^(?:ENOTFOUND|EAI_)/,
    (host) => [`The host name of ${host} is unknown`, "Check its spelling and your network"],
  ],
  [
    /^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN)$/,
    (host) => [`${host} does not respond`, "Check the address, your network and its firewalls"],
  ],
  [
    /^(?:ECONNRESET|EPIPE|HPE_)/,
    (host) => [
      `${host} closed the connection without a response in HTTP`,
      "If its port uses TLS, write https:// instead of http://. Otherwise, look at the agent's log",
    ],
  ],
  [
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG/,
    (host) => [`The port of ${host} does not use TLS`, "Write http:// instead of https://"],
  ],
  [
    /SELF_SIGNED|UNABLE_TO_(?:GET_ISSUER|VERIFY)/,
    (host) => [
      `The certificate of ${host} is from an unknown authority`,
      "If you trust the authority, start the inspector with NODE_EXTRA_CA_CERTS=FILE",
    ],
  ],
  [
    /CERT_(?:HAS_EXPIRED|NOT_YET_VALID)|ALTNAME_INVALID/,
    (host) => [
      `The certificate of ${host} is expired or for another host`,
      "Check the host name, or renew the certificate",
    ],
  ],
  [
    /ALERT_|HANDSHAKE_FAILURE/,
    (host) => [
      `${host} refused the TLS connection`,
      "It may require a client certificate: call it with a2a and --cert",
    ],
  ],
  [
    new RegExp(`^${stoppedCode}$`),
    () => ["The inspector has stopped", "Start its command again, and open the URL that it prints"],
  ],
];

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
  const host = URL.canParse(url) ? new URL(url).host : url;
  if (isAccess(status)) return accessProblem(details, called);
  const [headline, hint] =
    status === undefined ? connectionWords(error, host, called) : statusWords(status, host, called);
  return { headline, hint, details, canRetry: true };
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
  for (let { cause } = error as { cause?: unknown }; cause instanceof Error; { cause } = cause) {
    const code = codeOf(cause);
    if (code === refusedCode) return [`The inspector does not call ${host}`, cause.message];
    const [, words] = connections.find(([pattern]) => pattern.test(code)) ?? [];
    if (words === undefined) continue;
    const [headline, hint] = words(host);
    const isNamed = isCard || code === stoppedCode;
    return [headline, isNamed ? hint : `${hint}. ${fromCard}`];
  }
  const isUrl = URL.canParse(error.url);
  return isUrl
    ? [`No response from ${host}`, "Check that the agent is running and that its URL is right"]
    : [`"${host}" is not a URL`, "Enter a URL such as http://127.0.0.1:4000"];
}

/** Returns the code of an error. For errors of TLS, it can be in the words of OpenSSL. */
function codeOf(error: Error): string {
  const code = "code" in error ? String(error.code) : "";
  return code === "EPROTO" ? error.message.toUpperCase().replaceAll(" ", "_") : code;
}

const fromCard = "The address is from the card: an agent usually reads it from PUBLIC_URL";

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
  return status >= 400
    ? [`${host} has no interface at this path (HTTP status ${status})`, fromCard]
    : [`${host} sent something other than a response in A2A`, "The response is under Calls"];
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
