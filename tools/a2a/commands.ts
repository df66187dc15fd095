import { commandsFor, type Command, type Program } from "../terminal/program.js";
import type { Run } from "./agent.js";
import * as options from "./options.js";

const command = commandsFor<Run>();
const { common: agent } = options;
const task = { "<id>": "The id of the task" };
const taskOfWebhook = { "<task>": "The id of the task" };
const webhook = { ...taskOfWebhook, "<id>": "The id of the webhook" };
const agentWord = { "[agent]": "Like --agent-card" };

/** Commands on push configurations. */
const pushCommands = {
  create: command({
    describe: "Register a webhook for a task",
    words: taskOfWebhook,
    options: { ...options.pushOptions, ...agent },
    call: async (run, values) =>
      (await import("./push.js")).createPushCommand(run, values.task, values),
  }),
  get: command({
    describe: "Display a webhook",
    words: webhook,
    options: agent,
    call: async (run, values) =>
      (await import("./push.js")).getPushCommand(run, values.task, values.id),
  }),
  list: command({
    describe: "List the webhooks of a task",
    words: taskOfWebhook,
    options: agent,
    call: async (run, values) => (await import("./push.js")).listPushCommand(run, values.task),
  }),
  delete: command({
    describe: "Delete a webhook",
    words: webhook,
    options: agent,
    call: async (run, values) =>
      (await import("./push.js")).deletePushCommand(run, values.task, values.id),
  }),
};

/** Commands on tasks. */
const taskCommands = {
  get: command({
    describe: "Show a task",
    words: task,
    options: { ...options.getOptions, ...agent },
    call: async (run, values) => (await import("./task.js")).getCommand(run, values),
  }),
  list: command({
    describe: "List tasks",
    options: { ...options.listOptions, ...agent },
    call: async (run, values) => (await import("./task.js")).listCommand(run, values),
  }),
  cancel: command({
    describe: "Cancel a task",
    words: task,
    options: agent,
    call: async (run, values) => (await import("./task.js")).cancelCommand(run, values.id),
  }),
  subscribe: command({
    describe: "Follow a task to its end",
    words: task,
    options: { ...options.subscribeOptions, ...agent },
    call: async (run, values) => (await import("./task.js")).subscribeCommand(run, values.id),
  }),
  download: command({
    describe: "Save the artifacts of a task",
    words: task,
    options: { ...options.downloadOptions, ...agent },
    call: async (run, values) => (await import("./download.js")).downloadCommand(run, values),
  }),
  "push-config": { describe: "Manage the webhooks of a task", commands: pushCommands },
};

const getCard: Command<Run> = command({
  describe: "Display the card of an agent",
  words: agentWord,
  options: { ...options.cardOptions, ...agent },
  call: async (run, values) => (await import("./card.js")).cardCommand(run, values),
});

const send = command({
  describe: "Send a message",
  words: { "[words..]": "A text, before all other parts" },
  options: { ...options.sendOptions, ...agent },
  call: async (run, values) => (await import("./send.js")).sendCommand(run, values),
});

const chat = command({
  describe: "Send each line of standard input as a message",
  options: { ...options.chatOptions, ...agent },
  // The time limit applies to each message.
  isEndless: true,
  call: async (run) => (await import("./chat.js")).chatCommand(run),
});

const replay = command({
  describe: "Send the messages of a saved conversation, and compare the responses",
  words: { "<file>": "The file of the conversation" },
  options: { ...options.replayOptions, ...agent },
  // The time limit applies to each message.
  isEndless: true,
  call: async (run, values) => (await import("./replay.js")).replayCommand(run, values),
});

/** Commands on sign-ins. */
const authCommands = {
  login: command({
    describe: "Sign in for an agent, and store the tokens",
    options: { ...options.loginOptions, ...agent },
    call: async (run, values) => (await import("./auth.js")).loginCommand(run, values),
  }),
  logout: command({
    describe: "Delete and revoke the tokens for an agent",
    options: { ...options.logoutOptions, ...agent },
    call: async (run, values) => (await import("./auth.js")).logoutCommand(run, values),
  }),
  status: command({
    describe: "List the sign-ins",
    options: agent,
    call: async (run) => (await import("./auth.js")).statusCommand(run),
  }),
};

const listen = command({
  describe: "Receive push notifications on this machine, and print them",
  options: options.listenOptions,
  isEndless: true,
  call: async (run, values) => (await import("./listen.js")).listenCommand(run, values),
});

const conformance = command({
  describe: "Check an agent against the rules of A2A",
  words: agentWord,
  options: options.conformanceOptions,
  // The time limit applies to each call.
  isEndless: true,
  call: async (run, values) => (await import("./conformance.js")).conformanceCommand(run, values),
});

const demoServer = command({
  describe: "Start an agent on this machine to try the commands with",
  options: options.demoOptions,
  isEndless: true,
  call: async (run, values) => (await import("./demo.js")).demoCommand(run, values.port),
});

const show = command({
  describe: "Display each setting and its source",
  options: agent,
  call: async ({ settings, output }) =>
    (await import("./config.js")).configCommand(settings, output),
});

/** The command line. The implementation of a command is only loaded when it runs. */
export const program: Program<Run> = {
  name: "a2a",
  describe: "Calls A2A agents of every version over every transport.",
  epilogue:
    "A command line after a2a-cli 0.2. Exit codes: 0 done, 1 failed, 2 usage, 3 unreachable, " +
    "4 credentials, 5 time-out.",
  width: 80,
  commands: {
    card: {
      describe: "Read the card of an agent: card get",
      commands: { get: getCard },
      usual: "get",
    },
    send,
    chat,
    replay,
    task: {
      describe: "Work with tasks: get, list, cancel, subscribe, download, push-config",
      commands: taskCommands,
    },
    auth: {
      describe: "Sign in for agents: auth login, auth logout, auth status",
      commands: authCommands,
    },
    listen,
    conformance,
    "demo-server": demoServer,
    config: { describe: "Display the configuration: config show", commands: { show } },
  },
  shortForms: {
    get: ["task", "get"],
    list: ["task", "list"],
    cancel: ["task", "cancel"],
    download: ["task", "download"],
    subscribe: ["task", "subscribe"],
    push: ["task", "push-config"],
    stream: ["send", "--stream"],
    demo: ["demo-server"],
  },
};
