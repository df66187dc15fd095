import yargs, { type Argv, type Options } from "yargs";
import { InputError } from "../../support/diagnostics.js";
import { packageVersion } from "../../support/package-folder.js";
import { withDash, withoutDashes } from "../../tools/terminal/dash.js";
import { optionsOf } from "./options.js";
import { ExitCode, printError } from "../../tools/terminal/output.js";
import { refuseRepeated, usageError } from "./usage.js";

const specification = {
  type: "string",
  demandOption: true,
  describe: "A version, or the path of a file",
} as const;

/** Runs the command line and returns the exit code. Prints every error and never throws. */
export async function run(args: readonly string[], cwd: string): Promise<number> {
  let code: number = ExitCode.ok;
  try {
    const parser = parserOf(withoutHelp(withoutShell(args)), cwd, (result) => {
      code = result;
    });
    refuseRepeated(args);
    refuseValues(args);
    await parser.parseAsync();
    return code;
  } catch (error) {
    return printError(error, args.includes("--json"));
  }
}

/** Replaces an empty command line, and the command `help`, with `--help`. */
function withoutHelp(args: readonly string[]): readonly string[] {
  const [first, ...command] = args;
  if (first === undefined) return ["--help"];
  if (first !== "help") return args;
  const [unknown] = command.filter((name) => !Object.hasOwn(optionsOf, name));
  if (unknown !== undefined) throw usageError(`Unknown command: ${unknown}`, unknown);
  return [...command, "--help"];
}

/** Shells for which completions are available. */
const shells = ["bash", "zsh", "fish"];

/**
 * Moves the shell name in a `completion` command line to the environment variable `SHELL`, from
 * which the parser reads it.
 */
function withoutShell(args: readonly string[]): readonly string[] {
  const [first, shell, ...rest] = args;
  if (first !== "completion" || shell === undefined || shell.startsWith("-")) return args;
  if (!shells.includes(shell) || rest.length > 0)
    throw new InputError({
      message: `completion does not accept "${[shell, ...rest].join(" ")}"`,
      hint: `Use one of the shells ${shells.join(", ")}; the default is the shell in SHELL`,
    });
  process.env["SHELL"] = shell;
  delete process.env["ZSH_NAME"];
  return [first];
}

/**
 * Creates the parser of a command line, which runs the command and passes its exit code to `done`.
 */
function parserOf(args: readonly string[], cwd: string, done: (code: number) => void) {
  // Here, a single dash means standard input, but the parser ignores it.
  return withCommands(yargs(withoutDashes(args)), cwd, done)
    .scriptName("a2a-codegen")
    .usage(
      "$0 <command>\n\nGenerates models, validators, clients and servers for the A2A protocol " +
        "from its specification.",
    )
    .demandCommand(1, "Specify a command.")
    .strictCommands()
    .strict()
    .parserConfiguration({ "greedy-arrays": false, "dot-notation": false })
    .check(refuseEmpty)
    .wrap(100)
    .version(packageVersion())
    .alias("version", "v")
    .help()
    .alias("help", "h")
    .completion(
      "completion",
      "Print a script that completes commands and options in bash, zsh or fish",
    )
    .exitProcess(false)
    .fail((message: string | null, error: Error | undefined) => {
      if (error instanceof InputError) throw error;
      throw message === null && error !== undefined ? error : usageError(message ?? "", args[0]);
    });
}

/**
 * Adds the commands. The implementation of a command is only loaded when the command runs, so that
 * help is displayed without delay.
 */
function withCommands(parser: Argv, cwd: string, done: (code: number) => void): Argv {
  return parser
    .command(
      "generate",
      "Generate the output into this project",
      (command) => command.options(optionsOf.generate),
      async (argv) => done(await (await import("./generate.js")).generateCommand({ ...argv, cwd })),
    )
    .command(
      "init",
      "Write a configuration, the first output and an agent skeleton",
      (command) => command.options(optionsOf.init),
      async (argv) => done(await (await import("./init.js")).initCommand({ ...argv, cwd })),
    )
    .command(
      "validate <type> <source>",
      "Check a JSON document against a type of the specification",
      (command) =>
        command
          .positional("type", {
            type: "string",
            demandOption: true,
            describe: "A type, for example AgentCard",
          })
          .positional("source", {
            type: "string",
            demandOption: true,
            describe: "A file, a URL, or - for standard input",
          })
          .options(optionsOf.validate),
      async ({ source: given, ...argv }) => {
        const source = withDash(given);
        done(await (await import("./validate.js")).validateCommand({ ...argv, source, cwd }));
      },
    )
    .command(
      "diff <from> <to>",
      "Compare two specifications, and print what breaks",
      (command) =>
        command
          .positional("from", specification)
          .positional("to", specification)
          .options(optionsOf.diff),
      async (argv) => done((await import("./diff.js")).diffCommand({ ...argv, cwd })),
    )
    .command(
      "upgrade",
      "Move the project to another version: generate, merge, rename, and list the remaining work",
      (command) => command.options(optionsOf.upgrade),
      async (argv) => done(await (await import("./upgrade.js")).upgradeCommand({ ...argv, cwd })),
    )
    .command(
      "eject",
      "Copy the support modules of the package into the output, or switch back with --back",
      (command) => command.options(optionsOf.eject),
      async (argv) => done(await (await import("./eject.js")).ejectCommand({ ...argv, cwd })),
    )
    .command(
      "audit",
      "Compare copied support modules with known problems, offline",
      (command) => command.options(optionsOf.audit),
      async (argv) => done(await (await import("./audit.js")).auditCommand({ ...argv, cwd })),
    )
    .command(
      "inspect [url]",
      "Open a page that shows an agent: its card, a chat, and each request and response",
      (command) =>
        command
          .positional("url", { type: "string", describe: "URL of the agent, or of its card" })
          .options(optionsOf.inspect),
      async (argv) => done(await (await import("./inspect.js")).inspectCommand(argv)),
    )
    .command(
      "probe [url]",
      "Check an agent against the rules of A2A, or with test suites",
      (command) =>
        command
          .positional("url", { type: "string", describe: "URL of the agent, or of its card" })
          .options(optionsOf.probe),
      async ({ bearer: given, ...argv }) => {
        const bearer = withDash(given);
        done(
          await (await import("../../tools/a2a/probe.js")).probeCommand({ ...argv, bearer, cwd }),
        );
      },
    )
    .command(
      "list",
      "List the versions and the targets",
      (command) => command.options(optionsOf.list),
      async (argv) => done((await import("./list.js")).listCommand({ ...argv, cwd })),
    );
}

/**
 * Throws an `InputError` for a switch with a value other than `true` or `false`, such as
 * `--check=1`, which the parser would read as `false`.
 */
function refuseValues(args: readonly string[]): void {
  const all: readonly Readonly<Record<string, Options>>[] = Object.values(optionsOf);
  for (const arg of args) {
    const [, name, value = ""] = /^--([^=]+)=(.*)$/.exec(arg) ?? [];
    const isSwitch = name !== undefined && all.some((options) => options[name]?.type === "boolean");
    if (!isSwitch || ["", "true", "false"].includes(value)) continue;
    throw new InputError({
      message: `--${name} does not take a value, got "${value}"`,
      hint: "Remove the value",
    });
  }
}

/** Throws an `InputError` for an option with an empty value, such as `--out=`. */
function refuseEmpty(argv: Readonly<Record<string, unknown>>): true {
  const empty = Object.keys(argv).find((key) => key !== "_" && argv[key] === "");
  if (empty === undefined) return true;
  throw new InputError({
    message: `--${empty} is empty`,
    hint: "Add a value, or remove the option",
  });
}
