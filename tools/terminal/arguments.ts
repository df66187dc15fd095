import { isGroup, type Command, type Group, type Option, type OptionTable } from "./program.js";

/** An option on a command line. */
export interface GivenOption {
  /** Name of the option. The option may be unknown. */
  readonly name: string;
  /** The option as the user has written it, such as `-o` or `--dryRun`. */
  readonly written: string;
  /** The value, or `undefined` if it is missing. The value of a valid switch is a boolean. */
  readonly value: string | boolean | undefined;
}

/** A command line: its words, and its options. */
export interface CommandLine {
  readonly args: readonly string[];
  readonly words: readonly string[];
  readonly options: readonly GivenOption[];
}

/** Returns whether a command line has an option, with a certain value if one is passed. */
export function isGiven(line: CommandLine, name: string, value: string | boolean = true): boolean {
  return line.options.some((option) => option.name === name && option.value === value);
}

/** Options of every command. */
export const generalOptions: OptionTable = {
  help: { type: "boolean", alias: "h" },
  version: { type: "boolean", alias: "v" },
};

/**
 * Reads a command line. All options of the program are known here, so that they may precede the
 * command. Whether the command has them is checked later.
 */
export function readArguments<Context>(
  args: readonly string[],
  program: Group<Context>,
): CommandLine {
  const known = [generalOptions, ...tablesOf(program)]
    .flatMap(Object.entries<Option>)
    .map(([name, option]) => ({ name, option }));
  const find: Find = (written) => {
    const wanted = written.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return known.find(({ name, option }) => name === wanted || option.alias === wanted);
  };
  const words: string[] = [];
  const options: GivenOption[] = [];
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === "--") words.push(...rest.splice(0));
    else if (arg === "-" || !arg.startsWith("-")) words.push(arg);
    else if (arg.startsWith("--")) options.push(longOption(arg, rest, find));
    else options.push(...shortOptions(arg, rest, find));
  }
  return { args, words, options };
}

/** An option of the program. */
interface KnownOption {
  readonly name: string;
  readonly option: Option;
}

type Find = (written: string) => KnownOption | undefined;

function tablesOf<Context>(entry: Group<Context> | Command<Context>): OptionTable[] {
  return isGroup(entry) ? Object.values(entry.commands).flatMap(tablesOf) : [entry.options];
}

/** Reads `--name`, `--name=value`, `--name value` or `--no-name`. Removes the value from `rest`. */
function longOption(arg: string, rest: string[], find: Find): GivenOption {
  const [written = arg] = arg.split("=", 1);
  const text = arg === written ? undefined : arg.slice(written.length + 1);
  const found = find(written.slice(2));
  if (found !== undefined) return withValue(found, written, text, rest);
  const negated = written.startsWith("--no-") ? find(written.slice("--no-".length)) : undefined;
  if (negated?.option.type === "boolean")
    return { name: negated.name, written, value: text ?? false };
  return { name: written.slice(2), written, value: text };
}

/** Reads `-a`, `-a=value`, `-a value`, `-avalue`, or several switches such as `-ab`. */
function* shortOptions(arg: string, rest: string[], find: Find): Generator<GivenOption> {
  for (let at = 1; at < arg.length; at += 1) {
    const written = `-${arg.charAt(at)}`;
    const found = find(arg.charAt(at));
    const tail = arg.slice(at + 1);
    const takesTail = found !== undefined && hasValue(found.option);
    const hasText = tail.startsWith("=") || (tail !== "" && takesTail);
    const text = hasText ? tail.replace(/^=/, "") : undefined;
    yield found === undefined
      ? { name: written.slice(1), written, value: text }
      : withValue(found, written, text, rest);
    if (hasText) return;
  }
}

/** Returns an option with its value: `text`, or the next argument, which is removed from `rest`. */
function withValue(
  { name, option }: KnownOption,
  written: string,
  text: string | undefined,
  rest: string[],
): GivenOption {
  if (hasValue(option)) {
    const value = text ?? (isValue(rest[0]) ? rest.shift() : undefined);
    return { name, written, value };
  }
  const isSwitch = text === undefined || text === "true" || text === "false";
  return { name, written, value: isSwitch ? text !== "false" : text };
}

function hasValue({ type }: Option): boolean {
  return type !== "boolean";
}

/** Returns whether an argument is a value of the option before it, instead of another option. */
function isValue(next: string | undefined): boolean {
  return next !== undefined && /^(?!-)|^-(?:$|[\d.])/.test(next);
}
