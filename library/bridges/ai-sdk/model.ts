import { collected } from "./generate.js";
import { modelParts } from "./model-stream.js";
import type { ModelCall, ModelPart, RemoteModel } from "./model-types.js";
import { IdSigner, type SigningOptions } from "./signed-ids.js";
import { stoppable } from "../stoppable.js";
import type { RemoteAgent } from "../../client/remote-agent.js";

/** Options for {@link agentModel}. */
export interface AgentModelOptions {
  /** Name of the model in logs and traces; `agent` by default. */
  readonly modelId?: string;
  /**
   * Signs the ids of the conversation in the messages for a user. The model refuses other ids. Use
   * this option if messages come from a page, which could contain the ids of another user.
   */
  readonly sign?: SigningOptions;
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
  { modelId = "agent", sign }: AgentModelOptions = {},
): RemoteModel {
  const signer = sign && new IdSigner(sign);
  const streamOf = (call: ModelCall): ReadableStream<ModelPart> =>
    stoppable(call.abortSignal, (signal) => modelParts(agent, call, signal, signer));
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
