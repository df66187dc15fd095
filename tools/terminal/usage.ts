import { InputError } from "../../support/diagnostics.js";
import { didYouMean } from "../../support/near-names.js";
import { generalOptions, type GivenOption } from "./arguments.js";
import {
  camelCase,
  isGroup,
  type Command,
  type Group,
  type Option,
  type OptionTable,
  type Values,
  type WordTable,
} from "./program.js";

/** The command or the group that a command line names. */
export interface Target<Context> {
  readonly entry: Command<Context> | Group<Context>;
  /** The name, which begins with the program. */
  readonly path: readonly string[];
  /** The words after the name. */
  readonly words: readonly string[];
}

/** Finds the command that the words of a target name, or the group if no word follows it. */
export function targetOf<Context>(target: Target<Context>): Target<Context> {
  const { entry, path, words } = target;
  if (!isGroup(entry)) return target;
  const [word, ...rest] = words;
  const isNamed = word !== undefined && Object.hasOwn(entry.commands, word);
  // A group such as `card` runs its usual command, which then gets the words.
  const name = isNamed ? word : entry.usual;
  const next = name === undefined ? undefined : entry.commands[name];
  if (name !== undefined && next !== undefined)
    return targetOf({ entry: next, path: [...path, name], words: isNamed ? rest : words });
  if (word === undefined) return target;
  const { commands, shortForms = {} } = entry;
  const guess = didYouMean(word, [...Object.keys(commands), ...Object.keys(shortForms), "help"]);
  return refuse(`unknown command: ${word}`, `${guess}${helpFor(target)}`);
}

/** Returns the command of a target, which is not a group. */
export function commandOf<Context>(target: Target<Context>): Command<Context> {
  if (!isGroup(target.entry)) return target.entry;
  return refuse(`${target.path.join(" ")} requires a command`, helpFor(target));
}

/** Checks the words and options of a command, and returns their values by name in camelCase. */
export function valuesOf<Context>(
  command: Command<Context>,
  target: Target<Context>,
  givenOptions: readonly GivenOption[],
): Values {
  const help = helpFor(target);
  const options = optionsOf(command.options, givenOptions, help);
  return { ...options, ...wordsOf(command.words ?? {}, target, help) };
}

function optionsOf(table: OptionTable, givenOptions: readonly GivenOption[], help: string): Values {
  const lists = new Map<string, unknown[]>();
  for (const { name, written, value } of givenOptions) {
    const option = Object.hasOwn(table, name) ? table[name] : undefined;
    if (option === undefined)
      return refuse(
        `unknown option: ${written}`,
        `${didYouMean(written, spellings(table))}${help}`,
      );
    const values = lists.get(name) ?? [];
    values.push(checked(`--${name}`, option, value, help));
    lists.set(name, values);
    if (values.length > 1 && option.array !== true)
      return refuse(
        `--${name} is specified twice`,
        option.isList === true
          ? "Use it once, and separate the values with commas"
          : "Remove one of them",
      );
  }
  const entries = Object.entries(table).map(([name, option]) => {
    const values = lists.get(name);
    if (values === undefined && option.demandOption === true)
      return refuse(`the command requires --${name}`, help);
    return [camelCase(name), option.array === true ? values : (values?.[0] ?? option.default)];
  });
  return Object.fromEntries(entries) as Values;
}

/** Checks the value of an option, and returns it in its type. */
function checked(name: string, option: Option, value: GivenOption["value"], help: string): unknown {
  const { type, choices } = option;
  const choicesHint =
    choices && `Use one of ${choices.map((choice) => `"${String(choice)}"`).join(", ")}`;
  if (typeof value === "boolean") return value;
  if (value === undefined) return refuse(`${name} requires a value`, choicesHint ?? help);
  if (type === "boolean")
    return refuse(`${name} does not take a value, got "${value}"`, "Remove the value");
  if (value === "") return refuse(`${name} is empty`, "Add a value, or remove the option");
  if (choicesHint !== undefined && choices?.includes(value) === false)
    return refuse(`${name} cannot be "${value}"`, choicesHint);
  if (type !== "number") return value;
  const number = Number(value);
  if (Number.isNaN(number))
    return refuse(`${name} must be a number, got "${value}"`, "Write digits");
  return number;
}

function wordsOf<Context>(
  table: WordTable,
  { path, words }: Target<Context>,
  help: string,
): Values {
  const rest = [...words];
  const entries = Object.keys(table).map((form) => {
    const name = form.replace(/\W+/g, "");
    if (form.endsWith("..]")) return [name, rest.splice(0)];
    const word = rest.shift();
    if (word === undefined && form.startsWith("<"))
      return refuse(`the command requires ${form}`, help);
    if (word === "") return refuse(`${form} is empty`, "Add a value");
    return [name, word];
  });
  const [extra] = rest;
  if (extra !== undefined) return refuse(`${path.at(-1) ?? ""} does not accept "${extra}"`, help);
  return Object.fromEntries(entries) as Values;
}

/** Returns the options of a command as users write them. */
function spellings(table: OptionTable): string[] {
  return Object.entries<Option>({ ...table, ...generalOptions }).flatMap(
    ([name, { alias = "" }]) => (alias.length > 1 ? [`--${name}`, `--${alias}`] : [`--${name}`]),
  );
}

/** Returns the hint on the help of a command or a group. */
function helpFor<Context>({ entry, path }: Target<Context>): string {
  const content = isGroup(entry) ? "commands and options" : "its arguments";
  return `\`${path.join(" ")} --help\` prints ${content}`;
}

function refuse(message: string, hint: string): never {
  throw new InputError({ message, hint });
}
