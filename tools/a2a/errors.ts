import { UnauthenticatedError } from "../../generated/1.0/errors.js";
import { InputError, reasonOf } from "../../support/diagnostics.js";
import {
  A2AError,
  connectionAdvice,
  pathAdvice,
  shellWord,
  TransportError,
  type NamedAgent,
  type Task,
} from "../agents/index.js";
import { ExitCode } from "../terminal/output.js";

/** Exit code of each error code that this tool reports for its own failures. */
const exits = {
  A2ACLI_ERR_USAGE: ExitCode.invalid,
  A2ACLI_ERR_CARD_NOT_FOUND: ExitCode.unreachable,
  A2ACLI_ERR_CARD_INVALID: ExitCode.failed,
  A2ACLI_ERR_UNREACHABLE: ExitCode.unreachable,
  A2ACLI_ERR_CREDENTIALS_MISSING: ExitCode.credentials,
  A2ACLI_ERR_AUTH_FAILED: ExitCode.credentials,
  A2ACLI_ERR_TIMEOUT: ExitCode.timeout,
  A2ACLI_ERR_INTERNAL: ExitCode.failed,
} as const;

/** Code of a failure for which the protocol has no error. */
export type CliErrorCode = keyof typeof exits;

/** Failure of the command line itself. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly code: CliErrorCode;
  /** Instruction for the user. */
  readonly hint: string;

  constructor(code: CliErrorCode, message: string, hint = "") {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/** Returns the error for an invalid command line. */
export function usage(message: string, hint: string): InputError {
  return new InputError({ message, hint });
}

/**
 * Thrown after the report of a check that has failed. The report is the output, so nothing else is
 * printed.
 */
export class CheckFailed extends Error {}

/** Abort reason of signals for Ctrl+C. */
export class Interrupted extends Error {}

/** Reason for no longer following a task: the chat has canceled it. */
export class Canceled extends Error {
  /** The task after its cancellation. */
  readonly task: Task;

  constructor(task: Task) {
    super();
    this.task = task;
  }
}

/** Reason for aborting a signal because the reader has closed the output. */
export class BrokenPipe extends Error {}

/** An error in the form that is printed for users and programs. */
export interface Failure {
  /** The name of the protocol's error, or a {@link CliErrorCode}. */
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  /** The JSON-RPC code of the error, even if the call used another transport. */
  readonly a2aCode: number | null;
  readonly exit: number;
}

const debugHint = "--debug shows requests and responses";

/** Facts about a call for the hints of its failure. */
export interface CallFacts extends NamedAgent {
  /** Whether the user has passed credentials. */
  readonly hasCredentials?: boolean;
}

/** Returns the failure for an error. */
export function failureOf(error: unknown, facts: CallFacts = {}): Failure {
  if (error instanceof InputError) {
    const [{ message, hint } = { message: error.message, hint: "" }] = error.diagnostics;
    return cliFailure("A2ACLI_ERR_USAGE", message, hint);
  }
  if (error instanceof CliError) return cliFailure(error.code, error.message, error.hint);
  if (error instanceof A2AError) return protocolFailure(error, facts);
  if (error instanceof TransportError) return transportFailure(error, facts);
  if (error instanceof DOMException && error.name === "TimeoutError")
    return cliFailure(
      "A2ACLI_ERR_TIMEOUT",
      "The agent did not finish in time",
      "Allow more time with --timeout, or none with 0",
    );
  const message = reasonOf(error);
  // Compare names, because the classes are in an optional package.
  if (error instanceof Error && error.name === "TokenError")
    return cliFailure("A2ACLI_ERR_AUTH_FAILED", message, debugHint);
  if (error instanceof Error && error.name === "IssuerError")
    return cliFailure("A2ACLI_ERR_UNREACHABLE", message, debugHint);
  if (error instanceof Error && "syscall" in error)
    return cliFailure("A2ACLI_ERR_INTERNAL", message, "Check the path and the permissions");
  return cliFailure("A2ACLI_ERR_INTERNAL", message, debugHint);
}

function cliFailure(code: CliErrorCode, message: string, hint: string): Failure {
  return { code, message, hint: hint === "" ? null : hint, a2aCode: null, exit: exits[code] };
}

/** Hints for protocol errors. */
const hints: Readonly<Record<string, string>> = {
  TaskNotFoundError: "`a2a task list` shows the tasks that you can access",
  TaskNotCancelableError: "`a2a task get` shows the state of the task",
  VersionNotSupportedError:
    "`a2a card get` shows the versions of the agent; choose with --a2a-version",
  PushNotificationNotSupportedError: "Follow the task with `a2a task get --wait` instead",
  ContentTypeNotSupportedError: "`a2a card get` shows the media types that the agent accepts",
  ExtensionSupportRequiredError:
    "`a2a card get` shows the extensions; request them with --extension",
  ExtendedAgentCardNotConfiguredError: "Omit --extended",
};

function protocolFailure(error: A2AError, facts: CallFacts): Failure {
  if (error.httpStatus === 401 || error.httpStatus === 403)
    return accessFailure(error.message, facts);
  const { name: code, message, jsonRpcCode: a2aCode = null } = error;
  const { retryAfterSeconds } = error;
  const hint =
    retryAfterSeconds === undefined
      ? hints[code]
      : `Retry after ${String(retryAfterSeconds)} seconds`;
  return {
    code,
    message,
    hint: hint === undefined ? debugHint : `${hint}; ${debugHint}`,
    a2aCode,
    exit: 1,
  };
}

function transportFailure(error: TransportError, facts: CallFacts): Failure {
  const { status, message } = error;
  if (status === 401 || status === 403) return accessFailure(message, facts);
  if (status === undefined) {
    const { headline, hint } = connectionAdvice(error, facts);
    return cliFailure("A2ACLI_ERR_UNREACHABLE", headline, hint);
  }
  if (status === 404 || status === 405) {
    const { headline, hint } = pathAdvice(error, facts);
    return cliFailure("A2ACLI_ERR_INTERNAL", headline, `${hint}; ${debugHint}`);
  }
  const isLarge = /\bmax(?:Response|Event)Bytes\b/.test(message);
  const hint = isLarge ? "Increase the limit with --max-bytes" : debugHint;
  return cliFailure("A2ACLI_ERR_INTERNAL", message, hint);
}

/**
 * Note of the client at the end of an error message: it has not sent headers to an origin. The note
 * names an option of the client, which has another name on the command line.
 */
const unsent =
  /^; (headers \([^()]*\) were not sent to (\S+)): add it to the option trustedOrigins to send them there$/;

/** Message of an agent's error without a message of its own. */
const askForCredentials = new UnauthenticatedError().message;

function accessFailure(message: string, { hasCredentials = false }: CallFacts): Failure {
  // The agent may send a long message, so match only the note, which does not take quadratic time.
  const start = message.lastIndexOf("; headers (");
  const [, note, origin] = unsent.exec(start < 0 ? "" : message.slice(start)) ?? [];
  if (note !== undefined && origin !== undefined)
    return cliFailure(
      "A2ACLI_ERR_CREDENTIALS_MISSING",
      `The agent requires credentials: ${message.slice(0, start)}; ${note}, because the card has ` +
        "another origin",
      `If you trust that origin, add --origin ${shellWord(origin)}`,
    );
  if (hasCredentials)
    return cliFailure(
      "A2ACLI_ERR_AUTH_FAILED",
      message === askForCredentials
        ? "The agent rejected the credentials"
        : `The agent rejected the credentials: ${message}`,
      "Check them, their scopes, and the URL, because an agent may also reject unknown paths",
    );
  const hint =
    "Run `a2a auth login`, or set A2ACLI_BEARER or A2ACLI_API_KEY; `a2a card get` shows what the " +
    "agent accepts. Check the URL too, because an agent may also reject unknown paths";
  return cliFailure(
    "A2ACLI_ERR_CREDENTIALS_MISSING",
    `The agent requires credentials: ${message}`,
    hint,
  );
}
