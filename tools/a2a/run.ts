import yargs, { type Argv } from "yargs";
import { packageVersion } from "../../support/package-folder.js";
import { withDash, withoutDashes } from "../terminal/dash.js";
import { withCommands, type Invocation } from "./commands.js";
import { hasCredentials } from "./credentials.js";
import { BrokenPipe, CheckFailed, CliError, failureOf, Interrupted, usage } from "./errors.js";
import { DebugLog, limited } from "./fetching.js";
import { interruptedCode } from "./interrupts.js";
import { Output } from "./output.js";
import { Settings, type Arguments, type Environment } from "./settings.js";
import { tlsOf, trustOf } from "./tls.js";
import { usageError } from "./usage.js";

/** Runs the command line and returns the exit code. Prints every error and never throws. */
export async function run(given: readonly string[], environment: Environment): Promise<number> {
  const args = canonical(given);
  const isJson = /^-(?:-output|o)[= ]?json$|^-ojson$/m.test(joined(args));
  let output = new Output(isJson ? "json" : "text", args.includes("--stream"), environment.program);
  let settings: Settings | undefined;
  try {
    const invoke = async (invocation: Invocation): Promise<void> => {
      const argv = cleaned(invocation.argv);
      settings = new Settings(argv, environment);
      output = outputOf(settings, argv, environment);
      if (settings.isSet("insecure")) process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
      const timeoutMs = invocation.isEndless ? 0 : settings.duration("timeout");
      // Timers do not support longer delays.
      const limits = timeoutMs === 0 ? [] : [AbortSignal.timeout(Math.min(timeoutMs, 2 ** 31 - 1))];
      const flood = new AbortController();
      const signal = AbortSignal.any([environment.signal, flood.signal, ...limits]);
      const maxBytes = settings.number("max-bytes");
      const tls = await tlsOf(settings, environment);
      const plain = tls && (await import("./tls-fetch.js")).tlsFetch(tls, trustOf(settings));
      const fetch = limited(maxBytes, () => flood.abort(tooLarge(maxBytes)), plain);
      const note = settings.isSet("debug") ? (line: string): void => output.note(line) : undefined;
      await invocation.call(
        { settings, output, environment, signal, fetch, tls, debug: new DebugLog(note) },
        argv,
        args,
      );
    };
    await parserOf(args, invoke).parseAsync();
    return 0;
  } catch (error) {
    const { reason } = environment.signal as { readonly reason: unknown };
    if (error instanceof CheckFailed) return 1;
    if (reason instanceof BrokenPipe) return 0;
    if (reason instanceof Interrupted) return interruptedCode;
    const failure = failureOf(
      error,
      settings !== undefined && hasCredentials(settings, environment),
      settings?.text("agent-card"),
    );
    await output.failure(failure);
    return failure.exit;
  }
}

function tooLarge(maxBytes: number): CliError {
  const message = `The agent has sent more than ${maxBytes.toLocaleString("en")} bytes`;
  return new CliError("A2ACLI_ERR_INTERNAL", message, "Increase the limit with --max-bytes");
}

/** Joins arguments into lines. An option and its value share a line. */
function joined(args: readonly string[]): string {
  return args
    .map((arg, at) => (arg.startsWith("-") ? `\n${arg} ${args[at + 1] ?? ""}` : ""))
    .join("");
}

/** Short forms of commands, and the full commands in the specification. */
const shortForms: Readonly<Record<string, readonly string[]>> = {
  get: ["task", "get"],
  list: ["task", "list"],
  cancel: ["task", "cancel"],
  download: ["task", "download"],
  subscribe: ["task", "subscribe"],
  push: ["task", "push-config"],
  stream: ["send", "--stream"],
  demo: ["demo-server"],
};

/**
 * Expands the short form of a command, and converts all forms of a request for help to `--help`.
 */
function canonical([first, ...rest]: readonly string[]): readonly string[] {
  if (first === undefined) return ["--help"];
  if (first === "help") return [...canonical(rest.length === 0 ? ["--help"] : rest), "--help"];
  if (first === "card" && rest[0] !== "get") return ["card", "get", ...rest];
  const long = Object.hasOwn(shortForms, first) ? shortForms[first] : undefined;
  return [...(long ?? [first]), ...rest];
}

/** Restores values that were replaced for the parser. */
function cleaned(argv: Arguments): Arguments {
  const entries = Object.entries(argv).map(([name, value]): [string, unknown] => [
    name,
    Array.isArray(value) ? value.map(withDash) : withDash(value),
  ]);
  return Object.fromEntries(entries);
}

function outputOf(settings: Settings, argv: Arguments, { program }: Environment): Output {
  const format = settings.text("output");
  if (format !== "text" && format !== "json")
    throw usage(`--output cannot be "${format ?? ""}"`, "Use text or json");
  return new Output(format, argv["stream"] === true, program);
}

/** Creates the parser of a command line, which passes the command to `invoke`. */
function parserOf(
  args: readonly string[],
  invoke: (invocation: Invocation) => Promise<void>,
): Argv {
  return withCommands(yargs(withoutDashes(args)), invoke)
    .scriptName("a2a")
    .usage("$0 <command>\n\nCalls A2A agents of every version over every transport.")
    .demandCommand(1, "Add a command.")
    .strict()
    .parserConfiguration({
      "greedy-arrays": false,
      "dot-notation": false,
      "parse-positional-numbers": false,
    })
    .wrap(80)
    .version(packageVersion())
    .alias("version", "v")
    .help()
    .alias("help", "h")
    .completion("completion", "Print a script that completes commands in bash or zsh")
    .epilogue(
      "A command line after a2a-cli 0.2. Exit codes: 0 done, 1 failed, 2 usage, 3 unreachable, 4 " +
        "credentials, 5 time-out.",
    )
    .exitProcess(false)
    .fail((message: string | null, error: Error | undefined) => {
      if (error !== undefined && message === null) throw error;
      if (error instanceof CliError) throw error;
      throw usageError(message ?? "the command line is invalid", args);
    });
}
