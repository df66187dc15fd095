import { openAgent, type Run } from "./agent.js";
import { follow, type Followed } from "./follow.js";
import type { Message, SendMessageRequest } from "../agents/index.js";
import { jsonObject, partsOf } from "./parts.js";
import { Renderer } from "./render.js";
import type { SavedConversation } from "./replay.js";

/** Arguments of `a2a send`. The options of the run have the parts, in their order. */
export interface SendArguments {
  readonly words: readonly string[];
  readonly wait?: boolean | undefined;
}

/** Runs `a2a send`. */
export async function sendCommand(run: Run, { words, wait }: SendArguments): Promise<void> {
  const { settings, output, environment, signal } = run;
  const message: Message = {
    messageId: crypto.randomUUID(),
    role: "ROLE_USER",
    parts: await partsOf(run.options, words, environment.cwd),
    ...identifiers(run),
  };
  const metadata = settings.text("metadata");
  if (metadata !== undefined) message.metadata = jsonObject("metadata", metadata);
  const conversation = await savedConversation(run);
  const agent = await openAgent(run, undefined, conversation?.interceptors);
  const { client } = agent;
  try {
    // --wait and --stream override --async. --no-wait has the same meaning as --async.
    const isAsync =
      wait !== true && (wait === false || settings.isSet("async")) && !output.isStream;
    const request: SendMessageRequest = { message };
    if (isAsync) request.configuration = { returnImmediately: true };
    const result = isAsync
      ? await client.sendMessage(request, { signal })
      : await follow(client, request, run);
    await printResult(result, run);
  } finally {
    client.close();
    conversation?.write(agent);
  }
}

/** Returns the conversation that is saved; `undefined` without `--save`. */
export async function savedConversation(run: Run): Promise<SavedConversation | undefined> {
  if (run.settings.text("save") === undefined) return undefined;
  return new (await import("./replay.js")).SavedConversation(run);
}

/** Returns the task and the context that the user has passed. */
export function identifiers({ settings }: Run): { taskId?: string; contextId?: string } {
  const taskId = settings.text("task-id");
  const contextId = settings.text("context-id");
  return { ...(taskId !== undefined && { taskId }), ...(contextId !== undefined && { contextId }) };
}

/** Prints the result of a message. */
export async function printResult(result: Followed, { output, settings }: Run): Promise<void> {
  const renderer = new Renderer(output, settings);
  if (output.isStream) {
    // The events have been printed. Repeat the identifiers, because the user may only see the end
    // of the output.
    if (output.isJson || result.task === undefined) return;
    await renderer.identifiers(result.task);
    await renderer.nextStep(result.task);
  } else if (output.isJson) await output.json(result);
  else if (result.task !== undefined) await renderer.task(result.task);
  else await renderer.message(result.message);
}
