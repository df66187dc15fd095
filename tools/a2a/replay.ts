import { accessSync, constants, existsSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { reasonOf } from "../../support/diagnostics.js";
import { readTextFile } from "../../support/read-text-file.js";
import {
  compareConversations,
  ConversationError,
  ConversationLog,
  readConversation,
  replay,
  writeConversation,
  type Conversation,
  type ConversationAgent,
} from "../agents/conversation/index.js";
import type { Interceptor } from "../agents/index.js";
import { openAgent, type Agent, type Run } from "./agent.js";
import { CheckFailed, CliError, usage } from "./errors.js";

/** Maximum size of the file of a conversation in bytes. */
const maxFile = 2 ** 27;

/** Arguments of `a2a replay`. */
export interface ReplayArguments {
  readonly file: string;
  readonly events?: boolean | undefined;
}

/**
 * Runs `a2a replay`: sends the messages of a saved conversation to the agent, and prints the
 * differences.
 */
export async function replayCommand(run: Run, { file, events }: ReplayArguments): Promise<void> {
  const { output, settings, environment, signal } = run;
  const saved = conversationIn(resolve(environment.cwd, file), file);
  const save = savedTo(run);
  const agent = await openAgent(run);
  try {
    const turnMs = settings.duration("timeout");
    const actual = await replay(saved, agent.client, { agent: agentOf(agent), signal, turnMs });
    const differences = compareConversations(saved, actual, { events });
    const count = Math.max(saved.turns.length, actual.turns.length);
    const turns = Array.from({ length: count }, (_, index) =>
      differences.filter(({ turn }) => turn === index + 1).map(({ text }) => text),
    );
    if (output.isJson)
      await output.json({
        same: differences.length === 0,
        turns: turns.map((texts) => ({ same: texts.length === 0, differences: texts })),
      });
    else
      for (const [index, texts] of turns.entries()) {
        const turn = `Turn ${index + 1}`;
        if (texts.length === 0) await output.field(turn, "same");
        else await output.block(turn, texts.join("\n"));
      }
    save?.(actual);
    if (differences.length > 0) throw new CheckFailed();
  } finally {
    agent.client.close();
  }
}

/** Returns a function that saves conversations to the file of `--save`, if it is set. */
function savedTo({ settings, environment }: Run): ((saved: Conversation) => void) | undefined {
  const { value, source, path } = settings.find("save");
  if (value === "") return undefined;
  // A cloned repository could contain the file, and would choose the file that is overwritten.
  if (source === "file")
    throw usage(`${path ?? "a file"} sets A2ACLI_SAVE`, "Pass the file with --save");
  const file = resolve(environment.cwd, value);
  try {
    accessSync(existsSync(file) ? file : dirname(file), constants.W_OK);
  } catch (error) {
    throw usage(`${value} cannot be written: ${reasonOf(error)}`, "Check the path of --save");
  }
  return (conversation) => writeFileSync(file, writeConversation(conversation));
}

/** A conversation that a command records for `--save`. */
export class SavedConversation {
  readonly #log = new ConversationLog();
  readonly #save: ((saved: Conversation) => void) | undefined;

  constructor(run: Run) {
    this.#save = savedTo(run);
  }

  /** The interceptors that record the calls. */
  get interceptors(): readonly Interceptor[] {
    return [this.#log.interceptor];
  }

  /** Writes the file, unless no message was sent. */
  write(agent: Agent): void {
    if (this.#log.length > 0) this.#save?.(this.#log.conversation(agentOf(agent)));
  }
}

/** Returns an agent in the form in which conversations contain it. */
function agentOf({ report, target: { url, binding, version } }: Agent): ConversationAgent {
  return { url: report.url ?? url, name: report.card?.name ?? "", binding, version };
}

function conversationIn(path: string, name: string): Conversation {
  let text: string;
  try {
    text = readTextFile(path, maxFile);
  } catch (error) {
    throw usage(`${name} cannot be read: ${reasonOf(error)}`, "Check the path");
  }
  try {
    return readConversation(text);
  } catch (error) {
    if (!(error instanceof ConversationError)) throw error;
    throw new CliError(
      "A2ACLI_ERR_USAGE",
      `${name}: ${error.message}`,
      "Save a conversation with --save of `a2a send` or `a2a chat`, or in the inspector",
    );
  }
}
