// Calls an agent with `A2AAgent` of Mastra.
import { A2AAgent } from "@mastra/core/a2a";
import { play } from "./play.mjs";

await play(async ({ url, version, file: { raw: data, mediaType } }) => {
  const card = `${url}/.well-known/agent-card.json`;
  const agent = new A2AAgent({ url: card, protocolVersion: version });
  let suspended;
  return async (text, withFile, aborts) => {
    const controller = new AbortController();
    const file = { type: "file", data, mediaType };
    const message = { role: "user", content: [{ type: "text", text }, file] };
    const options = { abortSignal: controller.signal };
    const output =
      suspended === undefined
        ? await agent.stream(withFile ? [message] : text, options)
        : await agent.resumeStream(text, { ...options, runId: suspended });
    const heard = { streamed: "", kept: "", files: 0, facts: [] };
    for await (const { type, payload } of output.fullStream) {
      if (type === "text-delta") heard.streamed += payload.text;
      if (type === "file") heard.files += 1;
      if (aborts && type === "text-delta") controller.abort();
    }
    if (aborts) return heard;
    const result = await output.getResult();
    heard.kept = result.text;
    heard.facts.push(result.finishReason);
    suspended = result.finishReason === "suspended" ? result.runId : undefined;
    return heard;
  };
});
