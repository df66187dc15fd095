import { packageVersion } from "../../support/package-folder.js";
import { readArguments, type CommandLine } from "./arguments.js";
import { ExitCode, print } from "./output.js";
import { commandsFor, type Command, type Program, type Values } from "./program.js";
import { commandOf, targetOf, valuesOf } from "./usage.js";

/** Passed by the completion script of a shell, before the words of the command line. */
const completionFlag = "get-yargs-completions";

/** The command of every program that prints its completion script. */
const completion = commandsFor<never>()({
  describe: "Print a script that completes commands and options in bash, zsh or fish",
  words: { "[shell]": "bash, zsh or fish (default: the shell in SHELL)" },
  options: {},
  call: () => Promise.resolve(),
});

/**
 * Reads a command line: expands short forms, and converts all requests for help to `--help`. It is
 * not checked, so that the form of error messages is known before the first error.
 */
export function readLine<Context>(program: Program<Context>, args: readonly string[]): CommandLine {
  return readArguments(expanded(args, program.shortForms ?? {}), program);
}

function expanded(
  [first, ...rest]: readonly string[],
  shortForms: Readonly<Record<string, readonly string[]>>,
): readonly string[] {
  if (first === undefined) return ["--help"];
  if (first === "help") return [...expanded(rest, shortForms), "--help"];
  const form = Object.hasOwn(shortForms, first) ? shortForms[first] : undefined;
  return [...(form ?? [first]), ...rest];
}

/**
 * Prints help, version or completions, or passes the command and its values to `invoke`, which
 * returns the exit code.
 *
 * @throws {InputError} if the command line is invalid
 */
export async function runLine<Context>(
  base: Program<Context>,
  { args, words, options }: CommandLine,
  invoke: (command: Command<Context>, values: Values) => Promise<unknown>,
): Promise<number> {
  const program = { ...base, commands: { ...base.commands, completion } };
  const has = (name: string): boolean => options.some((option) => option.name === name);
  if (has(completionFlag)) return await help(program, args);
  if (has("version")) {
    print(packageVersion());
    return ExitCode.ok;
  }
  const target = targetOf({ entry: program, path: [program.name], words });
  if (has("help")) return await help(program, [...target.path.slice(1), "--help"]);
  const command = commandOf(target);
  const values = valuesOf(command, target, options);
  if (command === completion) {
    (await import("./help.js")).printCompletion(program, values["shell"] as string | undefined);
    return ExitCode.ok;
  }
  const code = await invoke(command, values);
  return typeof code === "number" ? code : ExitCode.ok;
}

/** Prints help or completions. Their package is only loaded here, because that takes time. */
async function help<Context>(program: Program<Context>, args: readonly string[]): Promise<number> {
  const { printHelp } = await import("./help.js");
  await printHelp(program, args);
  return ExitCode.ok;
}
