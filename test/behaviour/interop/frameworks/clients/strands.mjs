// Calls an agent with `A2AAgent` of Strands for JavaScript.
import { Buffer } from "node:buffer";
import { ImageBlock, TextBlock } from "@strands-agents/sdk";
import { A2AAgent } from "@strands-agents/sdk/a2a";
import { play } from "./play.mjs";

await play(async ({ url, file }) => {
  const agent = new A2AAgent({ url });
  const image = new ImageBlock({
    format: "png",
    source: { bytes: Uint8Array.from(Buffer.from(file.raw, "base64")) },
  });
  return async (text, withFile, aborts) => {
    const controller = new AbortController();
    const content = withFile ? [new TextBlock(text), image] : text;
    const stream = agent.stream(content, { cancelSignal: controller.signal });
    const heard = { streamed: "", kept: "", files: 0, facts: [] };
    for await (const { event, result } of stream) {
      for (const part of event?.artifact?.parts ?? []) heard.streamed += part.text ?? "";
      for (const block of result?.lastMessage.content ?? []) {
        if (block.type === "textBlock") heard.kept += block.text;
        else heard.files += 1;
      }
      if (result !== undefined) heard.facts.push(result.stopReason);
      if (aborts && event?.artifact !== undefined) {
        controller.abort();
        break;
      }
    }
    return heard;
  };
});
