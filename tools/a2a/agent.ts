import { closeSync, existsSync, fstatSync, openSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { protocol } from "../../generated/1.0/operations.js";
import { reasonOf } from "../../support/diagnostics.js";
import * as core from "../agents/index.js";
import type { GivenOption } from "../terminal/arguments.js";
import {
  credentialsFor,
  extensionsOf,
  serviceParameters,
  type Credentials,
} from "./credentials.js";
import { CliError, usage } from "./errors.js";
import { grpcFactories, isGrpc } from "./grpc-package.js";
import { type DebugLog, withQuery } from "./fetching.js";
import type { Output } from "./output.js";
import type { Environment, Settings } from "./settings.js";
import { type GrpcSecurity, trustOf, type Tls } from "./tls.js";

/** Settings, output and connections of a command. */
export interface Run {
  readonly settings: Settings;
  readonly output: Output;
  readonly environment: Environment;
  /** The options of the command line, in their order. */
  readonly options: readonly GivenOption[];
  readonly debug: DebugLog;
  /** Sends the requests of the run, and limits their responses. */
  readonly fetch: core.Fetch;
  /** TLS options of the settings. */
  readonly tls: Tls | undefined;
  /** Ends calls after Ctrl-C or the time limit. */
  readonly signal: AbortSignal;
}

/** The agent that a command calls. */
export interface Agent {
  readonly client: core.A2AClient;
  readonly report: core.CardReport;
  readonly target: core.AgentInterface;
}

/** Maximum size of a card in a file. */
const maxFile = 4 * 2 ** 20;

/** Returns the settings for clients: credentials, limits, and the output of --debug. */
export async function clientSettings(
  run: Run,
  report?: core.CardReport,
): Promise<core.ClientSettings & { readonly credentials: Credentials }> {
  const { settings, environment } = run;
  const noCredentials: Credentials = { headers: {}, query: {}, interceptors: [], secrets: [] };
  // Only the card states where its agent expects credentials.
  const credentials =
    report === undefined ? noCredentials : await credentialsFor(report, settings, environment);
  const parameters = serviceParameters(settings);
  run.debug.secrets.push(...credentials.secrets, ...Object.keys(parameters));
  const maxBytes = settings.number("max-bytes");
  // Use the origin that the user has passed, even if it redirects to a different origin.
  const [asked = ""] = core.cardUrls(settings.text("agent-card") ?? "");
  const trustedOrigins =
    report?.url === undefined ? undefined : [asked, ...settings.list("origin")];
  // All interfaces in a card that the user has as a file are trusted.
  const queryOrigins = trustedOrigins ?? report?.interfaces.map(({ url }) => url) ?? [];
  const fetch = withQuery(credentials.query, queryOrigins, run.debug.around(run.fetch));
  const headers = { ...parameters, ...credentials.headers };
  const { interceptors } = credentials;
  return {
    fetch,
    headers,
    trustedOrigins,
    interceptors,
    extensions: extensionsOf(settings),
    maxBytes,
    credentials,
  };
}

/** Reads the card that `--agent-card` refers to: a host, a URL, or a file. */
export async function loadCard(run: Run): Promise<core.CardReport> {
  const reference = run.settings.text("agent-card");
  if (reference === undefined)
    throw usage("no agent is given", "Add -a URL, or set A2ACLI_AGENT_CARD");
  const path = pathOf(reference, run.environment.cwd);
  if (path !== undefined) return core.reportOf(cardIn(path, reference));
  const { fetch, headers } = await clientSettings(run);
  const version = run.settings.text("a2a-version");
  try {
    return await core.readCard(reference, { fetch, headers, signal: run.signal, version });
  } catch (error) {
    if (!(error instanceof core.TransportError) || run.signal.aborted) throw error;
    // Without a response, the agent is unreachable, unless the reference itself is not a URL.
    if (error.status === undefined && error.url !== reference) throw error;
    // A successful response has another content than a card.
    if (error.status !== undefined && error.status < 300)
      throw new CliError(
        "A2ACLI_ERR_CARD_INVALID",
        error.message,
        "Check that the URL belongs to an agent",
      );
    // The agent exists, but requires credentials, which other errors are about.
    if (error.status === 401 || error.status === 403) throw error;
    throw new CliError(
      "A2ACLI_ERR_CARD_NOT_FOUND",
      error.message,
      "Check the URL, or pass the URL of the card",
    );
  }
}

/**
 * Returns the path of a reference to a file; `undefined` for a host or a URL. A reference that
 * looks like a host is never treated as a file. Otherwise, a downloaded folder could contain a file
 * with the host name of the user's agent, and would receive the user's credentials.
 */
function pathOf(reference: string, cwd: string): string | undefined {
  if (/^file:\/\//i.test(reference)) return fileURLToPath(reference);
  const path = resolve(cwd, reference);
  // Such as `/card`, `./card`, `../card` or `C:\card`.
  const isExplicitPath = /^(?:\.{0,2}[\\/]|[a-z]:[\\/](?!\/))/i.test(reference);
  if (isExplicitPath) return path;
  const [first = "", ...rest] = reference.split("/");
  // `card.json` alone is a file, but `card.json/path` begins with a host.
  const isHost = /[.:]/.test(first) && (rest.length > 0 || !first.endsWith(".json"));
  return !isHost && reference.endsWith(".json") && existsSync(path) ? path : undefined;
}

function cardIn(path: string, reference: string): unknown {
  let text: string;
  try {
    const file = openSync(path, "r");
    try {
      if (fstatSync(file).size > maxFile) throw new Error(`it has more than ${maxFile} bytes`);
      text = readFileSync(file, "utf8");
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new CliError(
      "A2ACLI_ERR_CARD_NOT_FOUND",
      `The card "${reference}" cannot be read: ${reasonOf(error)}`,
      "Check the path",
    );
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new CliError("A2ACLI_ERR_CARD_INVALID", `"${reference}" is not JSON`, "Check the file");
  }
}

/**
 * Reads the card, chooses an interface, and opens a client, which checks responses if `validate` is
 * true.
 */
export async function openAgent(
  run: Run,
  validate = !run.settings.isSet("lenient"),
  recorders: readonly core.Interceptor[] = [],
): Promise<Agent> {
  const report = await loadCard(run);
  if (report.card === undefined) {
    const [first] = report.findings;
    const reason =
      first === undefined ? "it is not a card" : `${first.path || "/"}: ${first.problem}`;
    throw new CliError(
      "A2ACLI_ERR_CARD_INVALID",
      `The card is invalid: ${reason}`,
      "`a2a card get --validate` lists all",
    );
  }
  const { target, transports } = await choose(report, run);
  const { credentials, ...options } = await clientSettings(run, report);
  const { headers, query } = credentials;
  const hasCredentials = [headers, query, credentials.interceptors].some(
    (values) => Object.keys(values).length > 0,
  );
  warnIfInsecure(target, run, hasCredentials);
  // Calls over gRPC have no `fetch` that could print them.
  const debugging = isGrpc(target) ? run.debug.calls() : [];
  const interceptors = [...recorders, ...credentials.interceptors, ...debugging];
  const client = core.openClient(
    target,
    { ...options, interceptors, transports, validate },
    report.card,
  );
  return { client, report, target };
}

/** Returns the TLS options of gRPC. */
export function grpcSecurity({ settings, tls }: Run): GrpcSecurity {
  return { isInsecure: settings.isSet("insecure"), tls, isTrusted: trustOf(settings) };
}

/** Chooses an interface by the user's preferences, and then by the order of the card. */
async function choose(
  report: core.CardReport,
  run: Run,
): Promise<{
  readonly target: core.AgentInterface;
  readonly transports: readonly core.TransportFactory[];
}> {
  const { settings, output } = run;
  const wanted = settings.text("a2a-version");
  const callable = report.interfaces.filter((target) => target.isSupported || isGrpc(target));
  const exact = callable.filter(
    ({ version }) => minorOf(version) === minorOf(wanted ?? protocol.version),
  );
  // Without the user's choice, use another version only if the agent does not support 1.0, and
  // prefer a later version.
  const isCompatible = ({ version }: core.AgentInterface): boolean =>
    core.modelVersionOf(version) === protocol.version;
  const later = callable.filter(isCompatible);
  const others = later.length > 0 ? later : callable;
  const usable = exact.length > 0 || wanted !== undefined ? exact : others;
  const [first] = usable;
  if (first !== undefined && wanted === undefined && !isCompatible(first))
    output.note(
      `Note: The agent only supports ${minorOf(first.version)}, so the call has this version`,
    );
  if (usable.length === 0) throw noInterface(report, callable, wanted);
  const letters = (name: string): string => name.replace(/[^a-z]/gi, "").toLowerCase();
  const preferred = settings
    .list("transport")
    .flatMap((name) => usable.filter(({ binding }) => letters(binding) === letters(name)));
  for (const target of new Set([...preferred, ...usable])) {
    if (settings.isSet("debug"))
      output.note(`Interface: ${target.binding} ${target.version} at ${target.url}`);
    if (!isGrpc(target)) return { target, transports: [] };
    const transports = await grpcFactories(grpcSecurity(run));
    if (transports !== undefined) return { target, transports };
    output.note(
      `Note: ${target.url} is skipped, because gRPC requires a package: npm install @grpc/grpc-js`,
    );
  }
  throw new CliError(
    "A2ACLI_ERR_INTERNAL",
    "The agent is only reachable with gRPC",
    "npm install @grpc/grpc-js",
  );
}

function minorOf(version: string): string {
  return /^\d+\.\d+/.exec(version)?.[0] ?? version;
}

function noInterface(
  { interfaces }: core.CardReport,
  callable: readonly core.AgentInterface[],
  wanted: string | undefined,
): CliError {
  const [available] = callable;
  const offered =
    interfaces.map(({ binding, version }) => `${binding} ${version}`).join(", ") || "none";
  const message =
    `The agent has no interface of A2A ${wanted ?? protocol.version} that this tool supports; it ` +
    `offers ${offered}`;
  const hint =
    available === undefined
      ? "`a2a card get` shows the interfaces"
      : `Add --a2a-version ${minorOf(available.version)}`;
  return new CliError(
    wanted === undefined ? "A2ACLI_ERR_CARD_INVALID" : "A2ACLI_ERR_USAGE",
    message,
    hint,
  );
}

/** Prints a warning if credentials will be sent over an unencrypted connection. */
function warnIfInsecure(
  { url }: core.AgentInterface,
  { settings, output }: Run,
  hasCredentials: boolean,
): void {
  if (settings.isSet("insecure")) {
    output.note(
      "WARNING: TLS certificates are not verified (--insecure): others can read and change this " +
        "call.",
    );
    if (hasCredentials) output.note("WARNING: Credentials are sent over this connection.");
  } else if (hasCredentials && /^http:\/\//i.test(url) && !core.isLocal(new URL(url).hostname))
    output.note(`WARNING: Credentials are sent unencrypted to ${url}`);
}
