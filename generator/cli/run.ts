import yargs from "yargs";
import { packageVersion } from "../assets.js";
import { InputError } from "../diagnostics.js";
import { didYouMean } from "../near-names.js";
import { exit, printError } from "./output.js";

const specOptions = {
  spec: { type: "string", requiresArg: true, describe: "Version, or path of an a2a.proto or a2a.json" },
  schema: { type: "string", requiresArg: true, describe: "JSON Schema that belongs to a proto" },
  manifest: { type: "string", requiresArg: true, describe: "Binding manifest: a version, or the path of a YAML file" },
} as const;

const outputOptions = {
  ...specOptions,
  out: { type: "string", requiresArg: true, describe: "Output folder (default: src/a2a)" },
  targets: {
    type: "string",
    requiresArg: true,
    describe: "Comma-separated targets (default: all but schema, openapi and openrpc)",
  },
  templates: { type: "string", requiresArg: true, describe: "Folder with templates that replace ours" },
  agent: { type: "string", requiresArg: true, describe: "Agent skeleton to create, or to merge new operations into" },
  aliases: { choices: ["all", "none"] as const, describe: "Deprecated aliases for old names (default: all)" },
  "drop-expired": { type: "boolean", describe: "Leave out aliases that the version may remove" },
  "import-extension": { choices: ["js", "ts", "none"] as const, describe: "How relative imports end (default: js)" },
  force: { type: "boolean", default: false, describe: "Overwrite files that were edited by hand" },
} as const;

const jsonOption = { json: { type: "boolean", default: false, describe: "Print one JSON document" } } as const;

/** What somebody may have meant by a command or an option that there is not. */
const commandNames = ["generate", "init", "validate", "diff", "upgrade", "list"];
const optionNames = [
  ...Object.keys({ ...outputOptions, ...jsonOption }),
  ...["check", "config", "dry-run", "watch", "yes", "strict", "format", "fail-on", "to", "write", "tsconfig"],
].map((name) => `--${name}`);

/** Stands for `-` while the command line is parsed. */
const standardInput = "/dev/stdin/-";

/** Runs the command line and gives the exit code. Every problem is printed; nothing is thrown. */
export async function run(args: readonly string[], cwd: string): Promise<number> {
  let code: number = exit.fine;
  const done = (result: number): void => {
    code = result;
  };
  // The parser takes a lone dash for nothing; here it is the name of standard input.
  const parser = yargs(args.map((argument) => (argument === "-" ? standardInput : argument)))
    .scriptName("a2a-codegen")
    .usage(
      "$0 <command>\n\nGenerates models, validators, clients and servers for the A2A protocol from its specification.",
    )
    .command(
      "generate",
      "Generate the output into this project",
      (command) =>
        command.options({
          ...outputOptions,
          ...jsonOption,
          config: {
            type: "string",
            requiresArg: true,
            describe: "Configuration file (default: a2a-codegen.config.json)",
          },
          check: { type: "boolean", default: false, describe: "Only say whether the output is up to date" },
          "dry-run": { type: "boolean", default: false, describe: "Only say what would change" },
          watch: { type: "boolean", default: false, describe: "Generate again whenever the input changes" },
        }),
      async (argv) => done(await (await import("./generate.js")).generateCommand({ ...argv, cwd })),
    )
    .command(
      "init",
      "Write a configuration, the first output and an agent skeleton",
      (command) =>
        command.options({
          ...outputOptions,
          ...jsonOption,
          yes: { type: "boolean", alias: "y", default: false, describe: "Ask nothing" },
        }),
      async (argv) => done(await (await import("./init.js")).initCommand({ ...argv, cwd })),
    )
    .command(
      "validate <type> <source>",
      "Check a JSON document against a type of the specification",
      (command) =>
        command
          .positional("type", { type: "string", demandOption: true, describe: "A type, for example AgentCard" })
          .positional("source", {
            type: "string",
            demandOption: true,
            describe: "A file, a URL, or - for standard input",
          })
          .options({
            ...specOptions,
            ...jsonOption,
            strict: { type: "boolean", default: false, describe: "Canonical JSON only" },
          }),
      async (argv) =>
        done(
          await (
            await import("./validate.js")
          ).validateCommand({ ...argv, source: argv.source === standardInput ? "-" : argv.source, cwd }),
        ),
    )
    .command(
      "diff <from> <to>",
      "Tell what changed between two specifications, and what it breaks",
      (command) =>
        command
          .positional("from", { type: "string", demandOption: true, describe: "A version, or the path of a file" })
          .positional("to", { type: "string", demandOption: true, describe: "A version, or the path of a file" })
          .options({
            manifest: specOptions.manifest,
            ...jsonOption,
            format: {
              choices: ["text", "json", "md", "html"] as const,
              default: "text" as const,
              describe: "How to report",
            },
            "fail-on": {
              choices: ["breaking", "breaking:source", "breaking:json", "breaking:protobuf"] as const,
              describe: "Exit with 1 if there is such a change",
            },
          }),
      async (argv) => done((await import("./diff.js")).diffCommand({ ...argv, cwd })),
    )
    .command(
      "upgrade",
      "Move the project to another version: generate, merge, rename, and tell what is left",
      (command) =>
        command.options({
          ...jsonOption,
          to: { type: "string", requiresArg: true, demandOption: true, describe: "Version, or path, to move to" },
          schema: specOptions.schema,
          manifest: specOptions.manifest,
          write: {
            type: "boolean",
            default: false,
            describe: "Change the project, rather than tell what would change",
          },
          force: {
            type: "boolean",
            default: false,
            describe: "Write over edited output, and over changes that are not committed",
          },
          config: {
            type: "string",
            requiresArg: true,
            describe: "Configuration file (default: a2a-codegen.config.json)",
          },
          tsconfig: { type: "string", requiresArg: true, describe: "TypeScript project (default: the nearest one)" },
        }),
      async (argv) => done(await (await import("./upgrade.js")).upgradeCommand({ ...argv, cwd })),
    )
    .command(
      "list",
      "List the versions and the targets",
      (command) => command.options(jsonOption),
      async (argv) => done((await import("./list.js")).listCommand({ ...argv, cwd })),
    )
    .demandCommand(1, "Name a command.")
    .strictCommands()
    .strict()
    .parserConfiguration({ "duplicate-arguments-array": false, "dot-notation": false })
    .check(refuseEmpty)
    .wrap(100)
    .version(packageVersion())
    .help()
    .exitProcess(false)
    .fail((message: string | null, error: Error | undefined) => {
      if (error instanceof InputError) throw error;
      throw message === null && error !== undefined ? error : usageError(message ?? "", args[0]);
    });
  try {
    await parser.parseAsync();
    return code;
  } catch (error) {
    return printError(error, args.includes("--json"));
  }
}

/** Refuses an option that is there without a value, such as `--out=`. */
function refuseEmpty(argv: Readonly<Record<string, unknown>>): true {
  const empty = Object.keys(argv).find((key) => key !== "_" && argv[key] === "");
  if (empty === undefined) return true;
  throw new InputError({ problem: `--${empty} is empty`, remedy: "Give it a value, or leave it out" });
}

/** Says what is wrong with a command line in the words of this tool. */
function usageError(message: string, command: string | undefined): InputError {
  const help = "`a2a-codegen --help` shows commands and options";
  const [, option, given, choices] = /Argument: (\S+), Given: (".*"), Choices: (.*)/.exec(message) ?? [];
  if (option !== undefined)
    return new InputError({ problem: `--${option} cannot be ${given}`, remedy: `Use one of ${choices}` });
  const [, missing] = /^Not enough arguments following: (\S+)/.exec(message) ?? [];
  if (missing !== undefined) return new InputError({ problem: `--${missing} needs a value`, remedy: help });
  const [, got, needed] = /^Not enough non-option arguments: got (\d), need at least (\d)/.exec(message) ?? [];
  if (got !== undefined)
    return new InputError({ problem: `the command needs ${needed} arguments, not ${got}`, remedy: help });
  const [, extra] = /^Unknown commands?: (.*)/.exec(message) ?? [];
  if (extra !== undefined && extra !== command)
    return new InputError({ problem: `${command} does not take "${extra}"`, remedy: help });
  const [, unknown] = /^Unknown (?:arguments?|commands?): ([^,]+)/.exec(message) ?? [];
  if (unknown !== undefined) {
    const isCommand = message.startsWith("Unknown command");
    const guess = didYouMean(isCommand ? unknown : `--${unknown}`, isCommand ? commandNames : optionNames);
    const problem = `unknown ${isCommand ? "command" : "argument"}: ${unknown}`;
    return new InputError({ problem, remedy: guess + help });
  }
  const [line = ""] = message.replace(/\.$/, "").split("\n");
  return new InputError({ problem: line.charAt(0).toLowerCase() + line.slice(1), remedy: help });
}
