import { collected } from "./generate.js";
import { modelParts } from "./model-stream.js";
import type { ModelCall, ModelPart, RemoteModel } from "./model-types.js";
import { stoppable } from "../stoppable.js";
import type { RemoteAgent } from "../../client/remote-agent.js";

/** Options for {@link agentModel}. */
export interface AgentModelOptions {
  /** Name of the model in logs and traces; `agent` by default. */
  readonly modelId?: string;
}

/**
 * Returns a language model for the AI SDK, version 6 or 7, that is a remote agent. The conversation
 * is in the `providerMetadata` of the text, so the model stores nothing. A question of the agent is
 * the text of the response, and the next user message answers it.
 *
 * @example
 * const { textStream } = streamText({ model: agentModel(agent), prompt: "What is new?" });
 */
export function agentModel(
  agent: Pick<RemoteAgent, "ask">,
  { modelId = "agent" }: AgentModelOptions = {},
): RemoteModel {
  const streamOf = (call: ModelCall): ReadableStream<ModelPart> =>
    stoppable(call.abortSignal, (signal) => modelParts(agent, call, signal));
  return {
    specificationVersion: "v3",
    provider: "a2a",
    modelId,
    // The agent gets the URLs of files.
    supportedUrls: { "*/*": [/^https?:/] },
    doStream: (call) => Promise.resolve({ stream: streamOf(call) }),
    doGenerate: (call) => collected(streamOf(call)),
  };
}
