import type { Generated, ModelPart } from "./model-types.js";

/** Returns the response that a stream of a model contains. */
export async function collected(stream: ReadableStream<ModelPart>): Promise<Generated> {
  const content: Generated["content"] = [];
  let warnings: Generated["warnings"] = [];
  const reader = stream.getReader();
  for (;;) {
    const { done, value: part } = await reader.read();
    if (done) throw new TypeError("The stream of the model ended without its finish");
    const last = content.at(-1);
    switch (part.type) {
      case "stream-start":
        warnings = part.warnings;
        break;
      case "text-start":
        content.push({ type: "text", text: "" });
        break;
      case "text-delta":
        if (last?.type === "text") last.text += part.delta;
        break;
      case "text-end":
        if (last?.type === "text" && part.providerMetadata !== undefined)
          last.providerMetadata = part.providerMetadata;
        break;
      case "error":
        // The thrown value may have any type.
        throw part.error as Error;
      case "finish": {
        const { usage, finishReason, providerMetadata } = part;
        return { content, warnings, usage, finishReason, providerMetadata };
      }
      default:
        content.push(part);
    }
  }
}
