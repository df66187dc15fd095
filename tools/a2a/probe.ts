import { resolve } from "node:path";
import { grpcFactories } from "./grpc-package.js";
import { secretOf } from "./secrets.js";
import { loadSuites } from "../probe/acts/load.js";
import { compareWith } from "../probe/expected.js";
import { probeAgent, UnreachableAgent } from "../probe/probe.js";
import { hasPassed, type Judged } from "../probe/report/summary.js";
import { InputError } from "../../support/diagnostics.js";
import { ExitCode } from "../terminal/output.js";
import type { ValuesOf } from "../terminal/program.js";
import type { clientProbeOptions, ownProbeOptions, probeOptions } from "./probe-options.js";
import { probeClient } from "./probe-client.js";
import { expectationsOf } from "./probe-expected.js";
import { progressOn } from "./probe-progress.js";
import { formatOf, publish } from "./probe-report.js";

/** Arguments of `probe`. */
export type ProbeArguments = ValuesOf<typeof probeOptions> &
  Partial<ValuesOf<typeof clientProbeOptions & typeof ownProbeOptions>> & {
    readonly cwd: string;
    readonly url?: string | undefined;
    readonly env?: Readonly<Record<string, string | undefined>> | undefined;
    readonly signal?: AbortSignal | undefined;
  };

/** Runs `a2a-codegen probe`. Returns 1 if the agent breaks a rule. */
export async function probeCommand(args: ProbeArguments): Promise<number> {
  try {
    return await probe(args);
  } catch (error) {
    if (!(error instanceof UnreachableAgent)) throw error;
    throw new InputError({
      // GitHub also executes commands in this older form, and the message quotes the agent.
      message: error.message.replaceAll("##[", "## ["),
      hint: "Check that the agent is running, and the URL",
    });
  }
}

/**
 * Checks an agent or a client, and prints the report. Returns 1 if the agent breaks a rule.
 *
 * @throws {UnreachableAgent} if the agent's card cannot be read
 */
export async function probe(args: ProbeArguments): Promise<number> {
  const {
    cwd,
    url,
    client,
    expectedFailures = [],
    failOn = "must",
    out = [],
    env = process.env,
    signal,
  } = args;
  const hasUrl = url !== undefined;
  if (client === hasUrl)
    throw new InputError({
      message: "probe requires either a URL or --client",
      hint: "Add the URL of an agent, or --client",
    });
  const format = formatOf(args);
  const expectations = expectationsOf(expectedFailures, cwd);
  const suites = loadSuites(args.suite ?? [], cwd);
  const headers = await headersOf(args);
  const { allowSend, message, origin: trustedOrigins } = args;
  const transports = await grpcFactories();
  const variables = Object.fromEntries(
    (args.variable ?? []).map((text) => pairOf(text, "variable", "=")),
  );
  const options = {
    allowSend,
    message,
    trustedOrigins,
    headers,
    transports,
    suites,
    variables,
    env,
    signal,
  };
  const { onResult, end } = progressOn();
  const limited = { ...options, timeoutMs: secondsOf(args.timeout), onResult };
  const report =
    url === undefined ? await probeClient(args) : await probeAgent(url, limited).finally(end);
  const compared = compareWith(expectations, report.results);
  const judged: Judged = { report, ...compared, failOn, secrets: Object.keys(headers) };
  const paths = out.map((path) => resolve(cwd, path));
  publish(judged, { format, paths, isVerbose: args.verbose ?? false });
  return hasPassed(judged) ? ExitCode.ok : ExitCode.failed;
}

/** Returns the headers with credentials. */
async function headersOf({
  header = [],
  bearer,
  cwd,
  env = process.env,
}: ProbeArguments): Promise<Record<string, string>> {
  const environment = { cwd, env, signal: new AbortController().signal };
  const pairs = header.map((text) => pairOf(text, "header", ":"));
  const entries = await Promise.all(
    pairs.map(async ([name, value]) => [
      name.toLowerCase(),
      await secretOf("header", value, environment),
    ]),
  );
  const headers = Object.fromEntries(entries) as Record<string, string>;
  if (bearer !== undefined)
    headers["authorization"] = `Bearer ${await secretOf("bearer", bearer, environment)}`;
  return headers;
}

/** Splits an option into its name and its value. */
function pairOf(text: string, option: string, sign: ":" | "="): [name: string, value: string] {
  const at = text.indexOf(sign);
  const name = text.slice(0, at).trim();
  if (at > 0 && /^[\w.-]+$/.test(name)) return [name, text.slice(at + 1).trim()];
  throw new InputError({
    message: `--${option} must contain a name and a value`,
    hint: `Write NAME${sign}VALUE`,
  });
}

function secondsOf(timeout: number | undefined): number | undefined {
  if (timeout === undefined) return undefined;
  if (timeout > 0 && timeout <= 3_600) return timeout * 1_000;
  throw new InputError({
    message: "--timeout must be between 0 and 3600",
    hint: "Write a number of seconds",
  });
}
