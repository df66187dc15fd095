import { commandsFor, type Program } from "../../tools/terminal/program.js";
import { options } from "./options.js";

/** Context of the commands. */
interface Context {
  readonly cwd: string;
}

const command = commandsFor<Context>();
const specification = "A version, or the path of a file";
const agent = { "[url]": "URL of the agent, or of its card" };

/** The command line. The implementation of a command is only loaded when it runs. */
export const program: Program<Context> = {
  name: "a2a-codegen",
  describe:
    "Generates models, validators, clients and servers for the A2A protocol from its " +
    "specification.",
  width: 100,
  commands: {
    generate: command({
      describe: "Generate the output into this project",
      options: options.generate,
      call: async (context, values) =>
        (await import("./generate.js")).generateCommand({ ...values, ...context }),
    }),
    init: command({
      describe: "Write a configuration, the first output and an agent skeleton",
      options: options.init,
      call: async (context, values) =>
        (await import("./init.js")).initCommand({ ...values, ...context }),
    }),
    validate: command({
      describe: "Check a JSON document against a type of the specification",
      words: {
        "<type>": "A type, for example AgentCard",
        "<source>": "A file, a URL, or - for standard input",
      },
      options: options.validate,
      call: async (context, values) =>
        (await import("./validate.js")).validateCommand({ ...values, ...context }),
    }),
    diff: command({
      describe: "Compare two specifications, and print what breaks",
      words: { "<from>": specification, "<to>": specification },
      options: options.diff,
      call: async (context, values) =>
        (await import("./diff.js")).diffCommand({ ...values, ...context }),
    }),
    upgrade: command({
      describe:
        "Move the project to another version: generate, merge, rename, and list the remaining work",
      options: options.upgrade,
      call: async (context, values) =>
        (await import("./upgrade.js")).upgradeCommand({ ...values, ...context }),
    }),
    eject: command({
      describe:
        "Copy the support modules of the package into the output, or switch back with --back",
      options: options.eject,
      call: async (context, values) =>
        (await import("./eject.js")).ejectCommand({ ...values, ...context }),
    }),
    audit: command({
      describe: "Compare copied support modules with known problems, offline",
      options: options.audit,
      call: async (context, values) =>
        (await import("./audit.js")).auditCommand({ ...values, ...context }),
    }),
    inspect: command({
      describe: "Open a page that shows an agent: its card, a chat, and each request and response",
      words: agent,
      options: options.inspect,
      call: async (_, values) => (await import("./inspect.js")).inspectCommand(values),
    }),
    probe: command({
      describe: "Check an agent against the rules of A2A, or with test suites",
      words: agent,
      options: options.probe,
      call: async (context, values) =>
        (await import("../../tools/a2a/probe.js")).probeCommand({ ...values, ...context }),
    }),
    list: command({
      describe: "List the versions and the targets",
      options: options.list,
      call: async (context, values) =>
        (await import("./list.js")).listCommand({ ...values, ...context }),
    }),
  },
};
