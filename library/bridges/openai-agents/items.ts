import type { AgentInputItem } from "@openai/agents";
import type { FileContent, ModelContent, Utterance } from "../conversation.js";
import { memberOf, optionalString, stringIn } from "../reading.js";

/** Name of the framework in error messages. */
export const framework = "The OpenAI Agents SDK";

type UserContent = Exclude<Extract<AgentInputItem, { role: "user" }>["content"], string>[number];

/** Returns the input item for an utterance. A file of the agent is only mentioned. */
export function itemOf({ role, content }: Utterance): AgentInputItem {
  if (role === "user") return { role, content: content.map(inputOf) };
  const text = content.map((each) => ("file" in each ? nameOf(each.file) : each.text)).join("\n\n");
  return { role, status: "completed", content: [{ type: "output_text", text }] };
}

function inputOf(content: ModelContent): UserContent {
  if (!("file" in content)) return { type: "input_text", text: content.text };
  const { data, url, mediaType, filename } = content.file;
  const [kind, format = ""] = mediaType.split("/");
  if (kind === "audio" && data !== undefined) return { type: "audio", audio: data, format };
  const source = url ?? `data:${mediaType};base64,${data ?? ""}`;
  if (kind === "image") return { type: "input_image", image: source };
  const file = url === undefined ? source : { url };
  return { type: "input_file", file, ...(filename !== undefined && { filename }) };
}

function nameOf({ filename = "A file", mediaType }: FileContent): string {
  return `[${filename}, ${mediaType}]`;
}

/** A call of a tool: a function, a handoff, or a tool of the provider. */
export interface ToolCall {
  readonly toolName: string;
  readonly toolCallId: string | undefined;
  readonly input: unknown;
}

/** Returns the call of a tool in an item of a run. */
export function toolCallIn(item: unknown): ToolCall {
  const raw = memberOf(item, "rawItem");
  const toolName = optionalString(item, "toolName") ?? optionalString(raw, "name");
  const given = optionalString(raw, "arguments");
  return {
    toolName: toolName ?? stringIn(raw, "type", framework),
    toolCallId: optionalString(raw, "callId") ?? optionalString(raw, "id"),
    input: given === undefined ? undefined : parsed(given),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A file that a model has created, in base64. */
export interface ModelFile {
  readonly raw: string;
  readonly mediaType: string;
}

/** Returns the image in a call of the provider's tool for images. */
export function generatedImage(raw: unknown): ModelFile[] {
  const image = optionalString(raw, "output");
  if (optionalString(raw, "name") !== "image_generation_call" || image === undefined) return [];
  const format = optionalString(memberOf(raw, "providerData"), "output_format") ?? "png";
  return [{ raw: image, mediaType: `image/${format}` }];
}

/** Returns the text of a content of a message from a model; a refusal is text. */
export function textIn(content: unknown): string {
  return optionalString(content, "text") ?? optionalString(content, "refusal") ?? "";
}

/** Returns the file in a content of a message from a model. */
export function fileIn(content: unknown): ModelFile[] {
  const audio = optionalString(content, "audio");
  if (audio !== undefined)
    return [{ raw: audio, mediaType: `audio/${optionalString(content, "format") ?? "wav"}` }];
  const image = optionalString(content, "image");
  const [, mediaType = "image/png", raw] = /^data:([^;,]+);base64,(.*)$/s.exec(image ?? "") ?? [];
  return raw === undefined ? [] : [{ raw, mediaType }];
}
