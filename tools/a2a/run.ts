import { isGiven } from "../terminal/arguments.js";
import { ExitCode } from "../terminal/output.js";
import type { Command, Values } from "../terminal/program.js";
import { readLine, runLine } from "../terminal/run.js";
import type { Run } from "./agent.js";
import { program } from "./commands.js";
import { callFacts } from "./credentials.js";
import { BrokenPipe, CheckFailed, CliError, failureOf, Interrupted, usage } from "./errors.js";
import { DebugLog, limited } from "./fetching.js";
import { Output } from "./output.js";
import { Settings, type Environment } from "./settings.js";
import { withTimeLimit } from "../agents/time-limit.js";
import { tlsOf, trustOf } from "./tls.js";

/** Runs the command line and returns the exit code. Prints every error and never throws. */
export async function run(args: readonly string[], environment: Environment): Promise<number> {
  const line = readLine(program, args);
  const isStream = isGiven(line, "stream");
  const format = isGiven(line, "output", "json") ? "json" : "text";
  let output = new Output(format, isStream, environment.program);
  let settings: Settings | undefined;
  const invoke = async (command: Command<Run>, values: Values): Promise<void> => {
    // The positional argument `agent` is equivalent to `--agent-card`.
    const { agent: agentCard = values["agentCard"] } = values;
    settings = new Settings({ ...values, agentCard }, environment);
    output = outputOf(settings, isStream, environment);
    if (settings.isSet("insecure")) process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
    const timeoutMs = command.isEndless === true ? 0 : settings.duration("timeout");
    const overflow = new AbortController();
    const signal = withTimeLimit(timeoutMs, environment.signal, overflow.signal);
    const maxBytes = settings.number("max-bytes");
    const tls = await tlsOf(settings, environment);
    const secureFetch = tls && (await import("./tls-fetch.js")).tlsFetch(tls, trustOf(settings));
    const fetch = limited(maxBytes, () => overflow.abort(tooLarge(maxBytes)), secureFetch);
    const note = settings.isSet("debug") ? (text: string) => output.note(text) : undefined;
    const debug = new DebugLog(note);
    const { options } = line;
    await command.call(
      { settings, output, environment, options, signal, fetch, tls, debug },
      values,
    );
  };
  try {
    return await runLine(program, line, invoke);
  } catch (error) {
    const { reason } = environment.signal as { readonly reason: unknown };
    if (error instanceof CheckFailed) return ExitCode.failed;
    if (reason instanceof BrokenPipe) return ExitCode.ok;
    if (reason instanceof Interrupted) return ExitCode.interrupted;
    const failure = failureOf(error, settings && callFacts(settings, environment));
    await output.failure(failure);
    return failure.exit;
  }
}

function tooLarge(maxBytes: number): CliError {
  const message = `The agent has sent more than ${maxBytes.toLocaleString("en")} bytes`;
  return new CliError("A2ACLI_ERR_INTERNAL", message, "Increase the limit with --max-bytes");
}

function outputOf(settings: Settings, isStream: boolean, { program }: Environment): Output {
  const format = settings.text("output");
  if (format !== "text" && format !== "json")
    throw usage(`--output cannot be "${format ?? ""}"`, "Use text or json");
  return new Output(format, isStream, program);
}
