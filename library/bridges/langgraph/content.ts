import { AIMessage, BaseMessage, type ContentBlock, HumanMessage } from "@langchain/core/messages";
import { isObject } from "../../runtime/base/json.js";
import { base64Of } from "../../runtime/protobuf/base64.js";
import type { Part } from "../../kit/model.js";
import type { FileContent, ModelContent, Utterance } from "../conversation.js";

/** Returns what the user or the agent has said, as a message of the graph. */
export function messageOf({ role, content }: Utterance, id?: string): BaseMessage {
  const fields = id === undefined ? {} : { id };
  const texts = content.map((each) => ("text" in each ? each.text : named(each.file)));
  const text = texts.join("\n");
  // Providers accept files from users only.
  if (role === "assistant") return new AIMessage({ ...fields, content: text });
  if (content.every((each) => "text" in each))
    return new HumanMessage({ ...fields, content: text });
  return new HumanMessage({ ...fields, contentBlocks: content.map(blockOf) });
}

function named({ filename, mediaType }: FileContent): string {
  return `[${filename ?? mediaType}]`;
}

function blockOf(content: ModelContent): ContentBlock.Standard {
  return "text" in content ? { type: "text", text: content.text } : fileBlock(content.file);
}

/** Returns a file as a content block of a message. */
export function fileBlock({
  mediaType,
  filename,
  data,
  url,
}: FileContent): ContentBlock.Multimodal.Standard {
  const kind = /^(image|audio|video)\//.exec(mediaType)?.[1] ?? "file";
  const type = kind as "image" | "audio" | "video" | "file";
  const named = filename === undefined ? {} : { metadata: { filename } };
  if (url !== undefined) return { type, url, mimeType: mediaType, ...named };
  return { type, data: data ?? "", mimeType: mediaType, ...named };
}

/** Returns the parts of a message of the graph: text, files, and URLs. */
export function partsOf(message: BaseMessage): Part[] {
  return message.contentBlocks.flatMap((block): Part[] => {
    if (block.type === "text" && typeof block.text === "string") return [{ text: block.text }];
    const mediaType = typeof block["mimeType"] === "string" ? block["mimeType"] : undefined;
    const { data, url, metadata } = block as Record<string, unknown>;
    const filename = isObject(metadata) ? metadata["filename"] : undefined;
    const head = {
      ...(mediaType !== undefined && { mediaType }),
      ...(typeof filename === "string" && { filename }),
    };
    if (typeof url === "string") return [{ ...head, url }];
    if (data instanceof Uint8Array) return [{ ...head, raw: base64Of(data) }];
    return typeof data === "string" ? [{ ...head, raw: data }] : [];
  });
}

/** Returns the reasoning in a message of the graph. */
export function reasoningIn(message: BaseMessage): string {
  return message.contentBlocks
    .map((block) => (block.type === "reasoning" ? block.reasoning : ""))
    .join("");
}

/** Returns the messages in a value of the framework, such as the result of a node. */
export function messagesIn(value: unknown): BaseMessage[] {
  if (BaseMessage.isInstance(value)) return [value];
  if (Array.isArray(value)) return value.flatMap((each) => messagesIn(each));
  if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return [];
  return Object.values(value).flatMap((each) =>
    BaseMessage.isInstance(each) || Array.isArray(each) || (isObject(each) && "$writes" in each)
      ? messagesIn(each)
      : [],
  );
}
