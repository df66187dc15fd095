import type { Options } from "yargs";
import { InputError } from "../../support/diagnostics.js";
import { didYouMean } from "../../support/near-names.js";
import { optionsOf } from "./options.js";

/** Converts an error message of the parser to an error in this tool's wording. */
export function usageError(message: string, command: string | undefined): InputError {
  const help = helpFor(command);
  const [, option, given, choices] =
    /Argument: (\S+), Given: (".*"), Choices: (.*)/.exec(message) ?? [];
  if (option !== undefined)
    return new InputError({
      message: `--${option} cannot be ${given}`,
      hint: `Use one of ${choices}`,
    });
  const [, missing] = /^Not enough arguments following: (\S+)/.exec(message) ?? [];
  if (missing !== undefined)
    return new InputError({ message: `--${missing} requires a value`, hint: help });
  const [, got, least] =
    /^Not enough non-option arguments: got (\d), need at least (\d)/.exec(message) ?? [];
  if (got !== undefined)
    return new InputError({
      message: `the command requires ${least} arguments, got ${got}`,
      hint: help,
    });
  const [, extra] = /^Unknown commands?: (.*)/.exec(message) ?? [];
  if (extra !== undefined && extra !== command)
    return new InputError({ message: `${command} does not accept "${extra}"`, hint: help });
  const [, kind, unknown] = /^Unknown (argument|command)s?: ([^,]+)/.exec(message) ?? [];
  if (unknown !== undefined) {
    const [word, wrong, names] =
      kind === "command"
        ? ["command", unknown, Object.keys(optionsOf)]
        : ["option", unknown.length === 1 ? `-${unknown}` : `--${unknown}`, optionNames(command)];
    return new InputError({
      message: `unknown ${word}: ${wrong}`,
      hint: didYouMean(wrong, names) + help,
    });
  }
  const [, needed] = /^Missing required argument: (\S+)/.exec(message) ?? [];
  if (needed !== undefined)
    return new InputError({ message: `the command requires --${needed}`, hint: help });
  const [line = ""] = message.replace(/\.$/, "").split("\n");
  return new InputError({ message: line.charAt(0).toLowerCase() + line.slice(1), hint: help });
}

/**
 * Throws an `InputError` if the command line repeats an option that has one value, in any spelling:
 * the parser would silently make a list of the values.
 */
export function refuseRepeated(args: readonly string[]): void {
  const end = args.indexOf("--");
  const given = new Set<string>();
  for (const arg of end < 0 ? args : args.slice(0, end)) {
    const [, written] = /^--?(?:no-)?([A-Za-z][^=]*)/.exec(arg) ?? [];
    const name = written === undefined ? undefined : optionCalled(written);
    if (name === undefined || isList(name)) continue;
    const hint =
      name === "targets"
        ? "Use it once, and separate the targets with commas"
        : "Remove one of them";
    if (given.has(name)) throw new InputError({ message: `--${name} is specified twice`, hint });
    given.add(name);
  }
}

function isList(name: string): boolean {
  const all: readonly Readonly<Record<string, Options>>[] = Object.values(optionsOf);
  return all.some((options) => options[name]?.array === true);
}

/**
 * Returns the option with this spelling: its name in kebab-case or camelCase, or its short name.
 */
function optionCalled(written: string): string | undefined {
  const name = written.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const all: readonly Readonly<Record<string, Options>>[] = Object.values(optionsOf);
  const [found] =
    all.flatMap(Object.entries).find(([key, { alias }]) => key === name || alias === name) ?? [];
  return found;
}

function helpFor(command: string | undefined): string {
  const isCommand = command !== undefined && Object.hasOwn(optionsOf, command);
  return isCommand
    ? `\`a2a-codegen ${command} --help\` prints its arguments`
    : "`a2a-codegen --help` prints commands and options";
}

/** Returns the options of a command, or of all commands, in the form that users write. */
function optionNames(command: string | undefined): string[] {
  const all = Object.entries(optionsOf);
  const own = all.filter(([name]) => name === command);
  const names = (own.length > 0 ? own : all).flatMap(([, options]) => [
    ...Object.keys(options),
    "help",
    "version",
  ]);
  return [...new Set(names)].map((name) => `--${name}`);
}
