import type { Argv, Options } from "yargs";
import type { Run } from "./agent.js";
import * as options from "./options.js";
import { usage as usageError } from "./errors.js";
import type { Arguments } from "./settings.js";

/** A parsed command. */
export interface Invocation {
  readonly argv: Arguments;
  /** Whether the command runs until it is interrupted, so that no time limit applies. */
  readonly isEndless: boolean;
  readonly call: Call;
}

/** The implementation of a command. `args` are the arguments of the process. */
type Call = (run: Run, argv: Arguments, args: readonly string[]) => Promise<void>;

type Invoke = (invocation: Invocation) => Promise<void>;

/** A command for the parser. */
interface Command {
  readonly usage: string;
  readonly describe: string;
  readonly options: Record<string, Options>;
  /** Descriptions of the positional arguments. */
  readonly words?: Readonly<Record<string, string>>;
  readonly isEndless?: boolean;
  readonly call: Call;
}

const text = (argv: Arguments, name: string): string | undefined => {
  const value = argv[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
};
const number = (argv: Arguments, name: string): number | undefined =>
  argv[name] === undefined ? undefined : Number(argv[name]);
const id = (argv: Arguments): string => text(argv, "id") ?? "";
const task = { id: "The id of the task" };
const agent = options.common;

/** Commands on push configurations. */
const pushCommands: readonly Command[] = [
  {
    usage: "create <task>",
    describe: "Register a webhook for a task",
    words: { task: "The id of the task" },
    options: { ...options.pushOptions, ...agent },
    call: async (run, argv) => {
      const given = {
        url: text(argv, "url") ?? "",
        token: text(argv, "token"),
        id: text(argv, "id"),
      };
      await (await import("./push.js")).createPushCommand(run, text(argv, "task") ?? "", given);
    },
  },
  {
    usage: "get <task> <id>",
    describe: "Display a webhook",
    options: agent,
    call: async (run, argv) =>
      (await import("./push.js")).getPushCommand(run, text(argv, "task") ?? "", id(argv)),
  },
  {
    usage: "list <task>",
    describe: "List the webhooks of a task",
    options: agent,
    call: async (run, argv) =>
      (await import("./push.js")).listPushCommand(run, text(argv, "task") ?? ""),
  },
  {
    usage: "delete <task> <id>",
    describe: "Delete a webhook",
    options: agent,
    call: async (run, argv) =>
      (await import("./push.js")).deletePushCommand(run, text(argv, "task") ?? "", id(argv)),
  },
];

/** Commands on tasks. */
const taskCommands: readonly Command[] = [
  {
    usage: "get <id>",
    describe: "Show a task",
    words: task,
    options: { ...options.getOptions, ...agent },
    call: async (run, argv) =>
      (await import("./task.js")).getCommand(run, id(argv), argv["wait"] === true),
  },
  {
    usage: "list",
    describe: "List tasks",
    options: { ...options.listOptions, ...agent },
    call: async (run, argv) => {
      const given = {
        status: text(argv, "status"),
        pageToken: text(argv, "page-token"),
        pageSize: number(argv, "page-size"),
      };
      await (await import("./task.js")).listCommand(run, given);
    },
  },
  {
    usage: "cancel <id>",
    describe: "Cancel a task",
    words: task,
    options: agent,
    call: async (run, argv) => (await import("./task.js")).cancelCommand(run, id(argv)),
  },
  {
    usage: "subscribe <id>",
    describe: "Follow a task to its end",
    words: task,
    options: { ...options.subscribeOptions, ...agent },
    call: async (run, argv) => (await import("./task.js")).subscribeCommand(run, id(argv)),
  },
  {
    usage: "download <id>",
    describe: "Save the artifacts of a task",
    words: task,
    options: { ...options.downloadOptions, ...agent },
    call: async (run, argv) =>
      (await import("./download.js")).downloadCommand(run, id(argv), argv["force"] === true),
  },
];

const cardCommand: Command = {
  usage: "get [agent]",
  describe: "Display the card of an agent",
  words: { agent: "Like --agent-card" },
  options: { ...options.cardOptions, ...agent },
  call: async (run, argv) => {
    const [validate, probe, extended] = [
      argv["validate"] === true,
      argv["probe"] === true,
      argv["extended"] === true,
    ];
    await (
      await import("./card.js")
    ).cardCommand(run, { validate, probe, extended, trustedKeys: text(argv, "trusted-keys") });
  },
};

const sendCommand: Command = {
  usage: "send [words..]",
  describe: "Send a message",
  words: { words: "A text, before all other parts" },
  options: { ...options.sendOptions, ...agent },
  call: async (run, argv, args) => {
    const words = Array.isArray(argv["words"]) ? argv["words"].map(String) : [];
    const waits = typeof argv["wait"] === "boolean" ? argv["wait"] : undefined;
    await (await import("./send.js")).sendCommand(run, args, { words, waits });
  },
};

const chatCommand: Command = {
  usage: "chat",
  describe: "Send each line of standard input as a message",
  options: { ...options.chatOptions, ...agent },
  // The time limit applies to each message.
  isEndless: true,
  call: async (run) => (await import("./chat.js")).chatCommand(run),
};

const listenCommand: Command = {
  usage: "listen",
  describe: "Receive push notifications on this machine, and print them",
  isEndless: true,
  options: options.listenOptions,
  call: async (run, argv) => {
    const given = {
      port: number(argv, "port"),
      token: text(argv, "token"),
      count: number(argv, "count"),
    };
    await (await import("./listen.js")).listenCommand(run, given);
  },
};

const conformanceCommand: Command = {
  usage: "conformance [agent]",
  describe: "Check an agent against the rules of A2A",
  words: { agent: "Like --agent-card" },
  options: options.conformanceOptions,
  // The time limit applies to each call.
  isEndless: true,
  call: async (run, argv) => (await import("./conformance.js")).conformanceCommand(run, argv),
};

const demoCommand: Command = {
  usage: "demo-server",
  describe: "Start an agent on this machine to try the commands with",
  isEndless: true,
  options: options.demoOptions,
  call: async (run, argv) => (await import("./demo.js")).demoCommand(run, number(argv, "port")),
};

const showCommand: Command = {
  usage: "show",
  describe: "Display each setting and its source",
  options: agent,
  call: async ({ settings, output }) =>
    (await import("./config.js")).configCommand(settings, output),
};

/** Commands on sign-ins. */
const authCommands: readonly Command[] = [
  {
    usage: "login",
    describe: "Sign in for an agent, and store the tokens",
    options: { ...options.loginOptions, ...agent },
    call: async (run, argv) => {
      const scopes = Array.isArray(argv["scope"]) ? argv["scope"].map(String) : [];
      const browser = typeof argv["browser"] === "boolean" ? argv["browser"] : undefined;
      const given = { scheme: text(argv, "scheme"), flow: text(argv, "flow"), scopes, browser };
      await (await import("./auth.js")).loginCommand(run, given);
    },
  },
  {
    usage: "logout",
    describe: "Delete and revoke the tokens for an agent",
    options: { ...options.logoutOptions, ...agent },
    call: async (run, argv) => (await import("./auth.js")).logoutCommand(run, argv["all"] === true),
  },
  {
    usage: "status",
    describe: "List the sign-ins",
    options: agent,
    call: async (run) => (await import("./auth.js")).statusCommand(run),
  },
];

/** Adds the commands to a parser. Their implementations are loaded when they run. */
export function withCommands(parser: Argv, invoke: Invoke): Argv {
  const add = (to: Argv, command: Command): Argv => addCommand(to, command, invoke);
  const group = (
    name: string,
    describe: string,
    commands: readonly Command[],
    fill = (to: Argv): Argv => to,
  ): Argv =>
    parser.command(name, describe, (to) =>
      fill(commands.reduce(add, to)).demandCommand(1, "Add a command."),
    );
  group("card", "Read the card of an agent: card get", [cardCommand]);
  add(parser, sendCommand);
  add(parser, chatCommand);
  group(
    "task",
    "Work with tasks: get, list, cancel, subscribe, download, push-config",
    taskCommands,
    (to) =>
      to.command("push-config", "Manage the webhooks of a task", (inner) =>
        pushCommands.reduce(add, inner).demandCommand(1, "Add a command."),
      ),
  );
  group("auth", "Sign in for agents: auth login, auth logout, auth status", authCommands);
  for (const command of [listenCommand, conformanceCommand, demoCommand]) add(parser, command);
  return group("config", "Display the configuration: config show", [showCommand]);
}

function addCommand(
  parser: Argv,
  { usage, describe, options: own, words = {}, ...command }: Command,
  invoke: Invoke,
): Argv {
  return parser.command(
    usage,
    describe,
    (to) => {
      for (const [, name = "", rest] of usage.matchAll(/[<[](\w+)(\.\.)?[>\]]/g))
        to.positional(name, {
          type: "string",
          array: rest !== undefined,
          describe: words[name] ?? "",
        });
      // The options of the command itself come first, under the usual heading.
      const shared = Object.keys(options.common).filter((name) => name in own && usage !== "show");
      return to.options(own).group(shared, "Options for all commands that call an agent:");
    },
    async (argv) => {
      refuseRepeated(argv, own);
      // The positional argument `agent` is equivalent to `--agent-card`.
      const named = typeof argv["agent"] === "string" ? { "agent-card": argv["agent"] } : {};
      await invoke({
        argv: { ...argv, ...named },
        isEndless: command.isEndless === true,
        call: command.call,
      });
    },
  );
}

/** Refuses an option that is given twice. The parser would convert its values to a list. */
function refuseRepeated(argv: Arguments, own: Readonly<Record<string, Options>>): void {
  for (const [name, { array }] of Object.entries(own))
    if (array !== true && Array.isArray(argv[name]))
      throw usageError(`--${name} is given twice`, "Leave one out");
}
