import { didYouMean } from "../../support/near-names.js";
import { usage, type CliError } from "./errors.js";
import * as options from "./options.js";

/** Commands and their short forms. */
const commands = [
  ...[
    "card",
    "send",
    "stream",
    "chat",
    "task",
    "get",
    "list",
    "cancel",
    "subscribe",
    "download",
    "push",
    "push-config",
  ],
  ...[
    "listen",
    "conformance",
    "demo",
    "demo-server",
    "auth",
    "login",
    "logout",
    "status",
    "config",
    "completion",
    "help",
    "show",
    "create",
    "delete",
  ],
];

/** Converts an error message of the parser to an error in this tool's wording. */
export function usageError(message: string, args: readonly string[]): CliError {
  const help = `\`a2a ${commandOf(args)}--help\` shows commands and options`;
  const [line = ""] = message.replace(/\.$/, "").split("\n");
  const [, option, value, choices] =
    /Argument: (\S+), Given: (".*"), Choices: (.*)/.exec(message) ?? [];
  if (option !== undefined)
    return usage(`--${option} cannot be ${value ?? ""}`, `Use one of ${choices ?? ""}`);
  const [, missing] = /^Not enough arguments following: (\S+)/.exec(line) ?? [];
  if (missing !== undefined) return usage(`--${missing} requires a value`, help);
  const [, needed] = /^Missing required argument: (\S+)/.exec(line) ?? [];
  if (needed !== undefined) return usage(`the command requires --${needed}`, help);
  const [, got, least] =
    /^Not enough non-option arguments: got (\d), need at least (\d)/.exec(line) ?? [];
  if (got !== undefined)
    return usage(`the command requires ${least ?? "more"} arguments, not ${got}`, help);
  const [, unknown] = /^Unknown (?:argument|command)s?: ([^,]+)/.exec(line) ?? [];
  if (unknown === undefined) return usage(line.charAt(0).toLowerCase() + line.slice(1), help);
  // The parser omits the dashes of unknown options.
  const given = args.find(
    (arg) => arg.replace(/^--?(?:no-)?/, "").split("=")[0] === unknown && arg.startsWith("-"),
  );
  if (given === undefined)
    return usage(`unknown command: ${unknown}`, didYouMean(unknown, commands) + help);
  const name = given.split("=")[0] ?? given;
  return usage(`unknown option: ${name}`, didYouMean(name, optionNames()) + help);
}

function optionNames(): string[] {
  const all: readonly Readonly<Record<string, unknown>>[] = [
    ...Object.values(options),
    { help: {}, version: {} },
  ];
  return [...new Set(all.flatMap((each) => Object.keys(each)))].map((name) => `--${name}`);
}

/** Returns the command of a command line, followed by a space. */
function commandOf(args: readonly string[]): string {
  const end = args.findIndex((arg) => arg.startsWith("-"));
  const words = (end < 0 ? args : args.slice(0, end)).slice(0, 3);
  const count = words.findIndex((word) => !commands.includes(word));
  return (count < 0 ? words : words.slice(0, count)).map((word) => `${word} `).join("");
}
