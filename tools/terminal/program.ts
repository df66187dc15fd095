import type { InferredOptionType, Options } from "yargs";

/** An option in the table of a command: its valid values, and its entry in the help. */
export interface Option extends Pick<
  Options,
  "array" | "choices" | "defaultDescription" | "demandOption" | "describe" | "group"
> {
  readonly type?: "boolean" | "number" | "string";
  readonly alias?: string;
  readonly default?: boolean;
  /** Whether commas separate several values. */
  readonly isList?: boolean;
}

/** Options of a command, by name. */
export type OptionTable = Readonly<Record<string, Option>>;

/**
 * Descriptions of the words after a command: `<one>` is required, `[one]` is not, and `[some..]` is
 * a list.
 */
export type WordTable = Readonly<Record<string, string>>;

/** Values of options and arguments, by their names in camelCase. */
export type Values = Readonly<Record<string, unknown>>;

/**
 * A command. `call` gets the context of the program and the values, and returns the exit code, or
 * nothing for 0.
 */
export interface Command<Context> {
  readonly describe: string;
  readonly words?: WordTable;
  readonly options: OptionTable;
  /** Whether the command runs until it is interrupted, so that no time limit applies. */
  readonly isEndless?: boolean;
  call(context: Context, values: Values): Promise<unknown>;
}

/** Commands with a common first word. */
export interface Group<Context> {
  readonly describe: string;
  readonly commands: Commands<Context>;
  /** Command that runs if the next word names none of the commands. */
  readonly usual?: string;
  /** Short forms of commands, and the arguments that they stand for. */
  readonly shortForms?: Readonly<Record<string, readonly string[]>>;
}

/** Commands and groups, by name. */
export type Commands<Context> = Readonly<Record<string, Command<Context> | Group<Context>>>;

/** A command line program. */
export interface Program<Context> extends Group<Context> {
  readonly name: string;
  /** Columns of the help. */
  readonly width: number;
  /** Text below the help. */
  readonly epilogue?: string;
}

type Camel<Name> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;

type WordName<Key> = Key extends `[${infer Name}..]`
  ? Name
  : Key extends `[${infer Name}]` | `<${infer Name}>`
    ? Name
    : never;

type WordValue<Key> = Key extends `[${string}..]`
  ? readonly string[]
  : Key extends `<${string}>`
    ? string
    : string | undefined;

/** The type of the values of options and words. */
export type ValuesOf<Table extends OptionTable, Words extends WordTable = Record<"", string>> = {
  readonly [Name in keyof Table as Camel<Name> & string]: Readonly<InferredOptionType<Table[Name]>>;
} & { readonly [Key in keyof Words as WordName<Key>]: WordValue<Key> };

/** Creates the function that declares the commands of a program with this context. */
export const commandsFor =
  <Context>() =>
  <
    const Table extends OptionTable,
    const Words extends WordTable = Record<"", string>,
  >(definition: {
    readonly describe: string;
    readonly words?: Words;
    readonly options: Table;
    readonly isEndless?: boolean;
    readonly call: (context: Context, values: ValuesOf<Table, Words>) => Promise<unknown>;
  }): Command<Context> =>
    definition;

/** Returns whether an entry of a table is a group. */
export function isGroup<Context>(
  entry: Command<Context> | Group<Context>,
): entry is Group<Context> {
  return "commands" in entry;
}

/** Returns the name of an option in camelCase. */
export function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
