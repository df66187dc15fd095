import { createServer } from "node:http";
import { setTimeout } from "node:timers/promises";
import { createAgent, type AgentCard } from "../../generated/1.0/index.js";
import {
  artifact,
  completed,
  failed,
  inputRequired,
  taskService,
  textOf,
  working,
} from "../../generated/1.0/kit/index.js";
import { protocol } from "../../generated/1.0/operations.js";
import { nodeListener } from "../../generated/1.0/server/node.js";
import type { ListenRun } from "./listen.js";
import { opened } from "./port.js";

/** Examples of messages to the agent. */
const examples = [
  "Hello there",
  "ask What is your name?",
  "slow One word per second",
  "fail Out of paper",
];

/**
 * Runs `a2a demo-server`: serves an agent on the loopback address until the signal ends it. The
 * agent returns messages as artifacts. It keeps its tasks in memory.
 */
export async function demoCommand(
  { settings, output, environment }: ListenRun,
  port = 0,
): Promise<void> {
  const { signal } = environment;
  const server = createServer();
  const url = `http://127.0.0.1:${await opened(server, port)}/`;
  const service = echoService();
  // All callers have the same owner, so that `task list` returns the tasks.
  const agent = createAgent({ card: cardAt(url), service, authenticate: () => "everybody" });
  server.on("request", nodeListener(agent));
  try {
    await (output.isJson ? output.json({ url }) : output.field("Agent", url));
    for (const example of settings.isSet("verbose") ? examples : examples.slice(0, 2))
      output.note(`Try: ${output.program} send -a ${url} "${example}"`);
    output.note("Ctrl-C ends");
    if (!signal.aborted)
      await new Promise<void>((resolve) =>
        signal.addEventListener("abort", () => resolve(), { once: true }),
      );
  } finally {
    await service.close();
    server.close();
    server.closeAllConnections();
  }
}

function cardAt(url: string): AgentCard {
  const { bindings, version: protocolVersion } = protocol;
  return {
    name: "Demo agent",
    description: "Returns each message as an artifact",
    version: "1.0.0",
    supportedInterfaces: [bindings.jsonRpc, bindings.http].map((protocolBinding) => ({
      url,
      protocolBinding,
      protocolVersion,
    })),
    capabilities: { streaming: true, pushNotifications: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [
      { id: "echo", name: "Echo", description: "Returns your message", tags: ["demo"], examples },
    ],
  };
}

/**
 * Returns a service that echoes messages. The first word of a message can choose another behavior.
 */
function echoService() {
  return taskService<string, never>({
    // `a2a listen` receives events at this address.
    push: { allowPrivateAddresses: ({ hostname }) => hostname === "127.0.0.1" },
    // An echo accepts all media types.
    checkInputModes: false,
    async *run({ message, signal }) {
      const [, command = "", text = ""] = /^(ask|fail|slow)\s+(.*)$/is.exec(textOf(message)) ?? [];
      if (command === "ask") return inputRequired(text);
      if (command === "fail") return failed(text);
      yield working();
      const echo = artifact("echo");
      if (command === "slow")
        for (const word of text.split(/(?<=\s)(?=\S)/)) {
          yield echo.text(word);
          await setTimeout(1_000, undefined, { signal });
        }
      else yield echo.finish(message.parts);
      return completed();
    },
  });
}
