import { describe, expect, it } from "vitest";
import { program as generator } from "../../../../generator/cli/commands.js";
import { InputError } from "../../../../support/diagnostics.js";
import { program as a2a } from "../../../../tools/a2a/commands.js";
import {
  camelCase,
  isGroup,
  type Command,
  type Group,
  type Option,
  type Program,
  type Values,
} from "../../../../tools/terminal/program.js";
import { readLine, runLine } from "../../../../tools/terminal/run.js";

/** Returns the values that a command gets, or the error message. */
async function read<Context>(
  program: Program<Context>,
  args: readonly string[],
): Promise<Values | string> {
  let values: Values = {};
  try {
    await runLine(program, readLine(program, args), (_, given) => {
      values = given;
      return Promise.resolve();
    });
    return values;
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
}

/** An option of a command, and the arguments that call the command without it. */
interface Case {
  readonly name: string;
  readonly option: Option;
  readonly call: readonly string[];
}

function casesOf<Context>(
  entry: Group<Context> | Command<Context>,
  path: readonly string[] = [],
): Case[] {
  if (isGroup(entry))
    return Object.entries(entry.commands).flatMap(([word, inner]) =>
      casesOf(inner, [...path, word]),
    );
  const words = Object.keys(entry.words ?? {}).filter((form) => form.startsWith("<"));
  const required = Object.entries(entry.options).filter(([, option]) => option.demandOption);
  return Object.entries(entry.options).map(([name, option]) => {
    const others = required.filter(([other]) => other !== name);
    const given = others.map(([other]) => `--${other}=1`);
    return { name, option, call: [...path, ...words.map(() => "word"), ...given] };
  });
}

const isSwitch = ({ option }: Case): boolean => option.type === "boolean";
const valueFor = ({ type, choices }: Option): string =>
  String(choices?.[0] ?? (type === "number" ? "1" : "-"));

/** A mistake in the use of an option, and the message about it. */
interface Mistake {
  readonly args: (entry: Case) => readonly string[];
  readonly message: (entry: Case) => RegExp | string;
  /** Whether the mistake can be made with an option. */
  readonly applies?: (entry: Case) => boolean;
}

const hint = '(?:`[a-z0-9 -]+ --help` prints its arguments|Use one of (?:"[\\w:-]+"(?:, )?)+)\\.';

const mistakes: Readonly<Record<string, Mistake>> = {
  "no value": {
    applies: (entry) => !isSwitch(entry),
    args: ({ name }) => [`--${name}`],
    message: ({ name }) => new RegExp(`^--${name} requires a value\\. ${hint}$`),
  },
  "another option instead of its value": {
    applies: (entry) => !isSwitch(entry),
    args: ({ name }) => [`--${name}`, "--unknown"],
    message: ({ name }) => new RegExp(`^--${name} requires a value\\. ${hint}$`),
  },
  "an empty value": {
    applies: (entry) => !isSwitch(entry),
    args: ({ name }) => [`--${name}=`],
    message: ({ name }) => `--${name} is empty. Add a value, or remove the option.`,
  },
  "a value that is no choice": {
    applies: ({ option }) => option.choices !== undefined,
    args: ({ name }) => [`--${name}`, "other"],
    message: ({ name }) => new RegExp(`^--${name} cannot be "other"\\. ${hint}$`),
  },
  "a value that is no number": {
    applies: ({ option }) => option.type === "number",
    args: ({ name }) => [`--${name}`, "four"],
    message: ({ name }) => `--${name} must be a number, got "four". Write digits.`,
  },
  "a value of a switch": {
    applies: isSwitch,
    args: ({ name }) => [`--${name}=1`],
    message: ({ name }) => `--${name} does not take a value, got "1". Remove the value.`,
  },
  "an empty value of a switch": {
    applies: isSwitch,
    args: ({ name }) => [`--${name}=`],
    message: ({ name }) => `--${name} does not take a value, got "". Remove the value.`,
  },
  "a second value": {
    applies: ({ option }) => option.array !== true,
    args: ({ name, option }) => {
      const value = option.type === "boolean" ? "true" : valueFor(option);
      return [`--${name}=${value}`, `--${camelCase(name)}=${value}`];
    },
    message: ({ name, option }) => {
      const once = "Use it once, and separate the values with commas";
      const hint = option.isList === true ? once : "Remove one of them";
      return `--${name} is specified twice. ${hint}.`;
    },
  },
  "two letters swapped": {
    applies: ({ name }) => name.length > 3 && name.at(-1) !== name.at(-2),
    args: ({ name }) => [`--${name.slice(0, -2)}${name.slice(-1)}${name.slice(-2, -1)}=1`],
    message: ({ name }) =>
      new RegExp(`^unknown option: --[a-z0-9-]+\\. Did you mean .*--${name}\\b.*\\? ${hint}$`),
  },
  "a prefix that only switches have": {
    applies: (entry) => !isSwitch(entry),
    args: ({ name }) => [`--no-${name}`],
    message: ({ name }) => new RegExp(`^unknown option: --no-${name}\\. .*${hint}$`),
  },
  "its absence, although it is required": {
    applies: ({ option }) => option.demandOption === true,
    args: () => [],
    message: ({ name }) => new RegExp(`^the command requires --${name}\\. ${hint}$`),
  },
};

describe.each([
  ["a2a-codegen", generator as Program<unknown>],
  ["a2a", a2a as Program<unknown>],
])("the options of %s", (_, program) => {
  const cases = casesOf(program);

  it.each(Object.entries(mistakes))(
    "every option is refused in one sentence with its name and a hint for %s",
    async (__, { args, message, applies = () => true }) => {
      const wrong: unknown[] = [];
      for (const entry of cases.filter(applies)) {
        const given = [...entry.call, ...args(entry)];
        const result = await read(program, given);
        const expected = message(entry);
        const isExpected =
          typeof result === "string" &&
          (typeof expected === "string" ? result === expected : expected.test(result));
        if (!isExpected) wrong.push({ given, result, expected });
      }
      expect(wrong).toEqual([]);
    },
  );

  it("every option accepts its value in each spelling, and - as a value", async () => {
    const wrong: unknown[] = [];
    for (const { name, option, call } of cases) {
      const value = option.type === "boolean" ? "false" : valueFor(option);
      const typed =
        option.type === "boolean" ? false : option.type === "number" ? Number(value) : value;
      const { alias } = option;
      const spellings = [
        [`--${name}=${value}`],
        [`--${camelCase(name)}=${value}`],
        option.type === "boolean" ? [`--no-${name}`] : [`--${name}`, value],
        ...(alias === undefined ? [] : [[`${alias.length === 1 ? "-" : "--"}${alias}=${value}`]]),
      ];
      for (const spelling of spellings) {
        const given = [...call, ...spelling];
        const result = await read(program, given);
        const found = typeof result === "string" ? result : result[camelCase(name)];
        const expected = option.array === true ? [typed] : typed;
        if (JSON.stringify(found) !== JSON.stringify(expected)) wrong.push({ given, found });
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe("a command line", () => {
  it.each<readonly [string, readonly string[], Values]>([
    [
      "after --, words may begin with a dash",
      ["send", "--", "-a", "--b"],
      { words: ["-a", "--b"] },
    ],
    ["a value may be a negative number", ["get", "t", "--history", "-1"], { history: -1 }],
    ["a value may contain =", ["send", "--text=a=b"], { text: ["a=b"] }],
    ["a value may begin with a dash after =", ["send", "--text=--b"], { text: ["--b"] }],
    ["a letter may have its value attached", ["list", "-ojson"], { output: "json" }],
    ["options may precede the command", ["-a", "u", "--debug", "send", "x"], { agentCard: "u" }],
    ["a switch does not read the next word", ["send", "--stream", "true"], { words: ["true"] }],
    ["an option may be repeated", ["send", "--text", "a", "--text=b"], { text: ["a", "b"] }],
    ["a short form stands for options, too", ["stream", "x"], { stream: true, words: ["x"] }],
    ["the name of the usual command can be left out", ["card", "u"], { agent: "u" }],
  ])("%s", async (_, args, values) => {
    expect(await read(a2a, args)).toMatchObject(values);
  });

  it.each([
    [["fly"], "unknown command: fly. `a2a --help` prints commands and options."],
    [["tsk"], "unknown command: tsk. Did you mean task? `a2a --help` prints commands and options."],
    [
      ["task", "gte", "t"],
      "unknown command: gte. Did you mean get? `a2a task --help` prints commands and options.",
    ],
    [["task"], "a2a task requires a command. `a2a task --help` prints commands and options."],
    [["get"], "the command requires <id>. `a2a task get --help` prints its arguments."],
    [["get", ""], "<id> is empty. Add a value."],
    [["get", "a", "b"], 'get does not accept "b". `a2a task get --help` prints its arguments.'],
    [["listen", "--wait"], "unknown option: --wait. `a2a listen --help` prints its arguments."],
    [["list", "-z"], "unknown option: -z. `a2a task list --help` prints its arguments."],
    [["list", "--__proto__=1"], /^unknown option: --__proto__\. /],
    [["constructor"], /^unknown command: constructor\. /],
  ])("the command line %j is refused in one sentence", async (args, message) => {
    const result = await read(a2a, args);
    if (typeof message === "string") expect(result).toBe(message);
    else expect(result).toMatch(message);
  });
});
