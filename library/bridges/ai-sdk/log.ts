import type { JsonValue } from "../../runtime/base/json.js";
import { isObject } from "../../runtime/base/json.js";
import type { Message, Task } from "../../kit/model.js";
import { json } from "../../kit/turns/json.js";
import { textOf } from "../../kit/turns/updates.js";
import { type ModelContent, type Utterance, utteranceOf } from "../conversation.js";
import type { ContentPart, LogEntry, ModelMessage, SdkMessage } from "./messages.js";
import { answerTo, approvalQuestion, decisionIn, isAnswered, type Question } from "../questions.js";

/** A tool call that waits for the caller: for an approval, or for the result of the tool. */
interface OpenCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly approvalId?: string;
  readonly reason?: string;
}

/** Returns the messages of the AI SDK with checked content. */
export function checkedMessages(messages: readonly SdkMessage[]): ModelMessage[] {
  return messages.map(({ role, content }) => {
    if (typeof content === "string") return { role, content };
    if (Array.isArray(content) && content.every((part) => isContentPart(part)))
      return { role, content };
    throw new TypeError(`A message of the AI SDK has content of type ${typeof content}`);
  });
}

function isContentPart(part: unknown): part is ContentPart {
  return isObject(part) && typeof part["type"] === "string";
}

function partsIn(entry: LogEntry, role: string): readonly ContentPart[] {
  if (!("role" in entry) || entry.role !== role) return [];
  const { content } = entry;
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** Returns the text of the model so far. Texts of different blocks are paragraphs. */
export function textIn(log: readonly LogEntry[]): string {
  return log
    .flatMap((entry) => partsIn(entry, "assistant"))
    .flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []))
    .filter((text) => text !== "")
    .join("\n\n");
}

/** Returns the tool calls that wait for the caller. */
export function openCallsIn(log: readonly LogEntry[]): OpenCall[] {
  const open = new Map<unknown, OpenCall>();
  for (const entry of log) {
    for (const part of partsIn(entry, "assistant")) {
      const { type, toolCallId, toolName, input, approvalId, reason } = part;
      if (type === "tool-call" && part["providerExecuted"] !== true)
        open.set(toolCallId, { toolCallId: String(toolCallId), toolName: String(toolName), input });
      const call = open.get(toolCallId);
      if (type === "tool-approval-request" && call !== undefined)
        open.set(toolCallId, {
          ...call,
          approvalId: String(approvalId),
          ...(typeof reason === "string" && { reason }),
        });
      if (type === "tool-result") open.delete(toolCallId);
    }
    for (const { type, toolCallId, approvalId } of partsIn(entry, "tool")) {
      if (type === "tool-result") open.delete(toolCallId);
      for (const [id, call] of open)
        if (type === "tool-approval-response" && call.approvalId === approvalId) open.delete(id);
    }
  }
  return [...open.values()];
}

/** Returns the question about a tool call that waits for the caller. */
export function questionAbout({ toolName, input, reason, ...ids }: OpenCall): Question {
  if (ids.approvalId !== undefined)
    return approvalQuestion(toolName, input, { ...ids, toolName }, reason);
  const text = `Result of ${toolName}(${JSON.stringify(json<unknown>(input))})?`;
  return { text, data: { type: "tool-call", ...ids, toolName, input } };
}

/** Returns the answers to tool calls in a message of the caller. */
export function answersIn(
  message: Message,
  open: readonly OpenCall[],
  approves: ((text: string) => boolean) | undefined,
): ContentPart[] {
  return open.flatMap(({ approvalId, toolCallId, toolName }): ContentPart[] => {
    const ids = [approvalId, toolCallId];
    if (approvalId !== undefined) {
      const decision = decisionIn(message, ids, approves);
      return decision === undefined
        ? []
        : [{ type: "tool-approval-response", approvalId, ...decision }];
    }
    if (!isAnswered(message, ids)) return [];
    const given = answerTo(message, ids);
    const output =
      given === undefined
        ? { type: "text", value: textOf(message) }
        : { type: "json", value: given["output"] ?? null };
    return [{ type: "tool-result", toolCallId, toolName, output }];
  });
}

/**
 * Adds answers to a log. The AI SDK only reads the approvals in the last message, so answers to the
 * same question become one message.
 */
export function addAnswers(log: LogEntry[], answers: readonly ContentPart[]): void {
  const last = log.at(-1);
  const isContinued = last !== undefined && "role" in last && last.role === "tool";
  const earlier = isContinued ? partsIn(last, "tool") : [];
  if (isContinued) log.pop();
  log.push({ role: "tool", content: [...earlier, ...answers] });
}

/** Returns the log as JSON. A file of the model becomes the index of its artifact. */
export function storedLog(log: readonly LogEntry[]): LogEntry[] {
  let files = 0;
  return log.map((entry) => {
    if (!("role" in entry) || typeof entry.content === "string") return entry;
    const content = entry.content.map((part) =>
      entry.role === "assistant" && part.type === "file"
        ? { ...part, data: files++ }
        : asPart(json<object>(part)),
    );
    return { role: entry.role, content };
  });
}

function asPart(part: JsonValue): ContentPart {
  // JSON of an object with a type is such an object.
  return part as unknown as ContentPart;
}

/** Returns the messages for the model. `files` are the names of the artifacts with its files. */
export function messagesIn(
  log: readonly LogEntry[],
  sources: { readonly messages: readonly Message[]; readonly task: Task; files: readonly string[] },
): ModelMessage[] {
  const { messages, task, files } = sources;
  return log.map((entry) => {
    if ("id" in entry) {
      const message = messages.find(({ messageId }) => messageId === entry.id);
      return modelMessage(utteranceOf(message ?? { parts: [] }));
    }
    if (typeof entry.content === "string") return entry;
    const content = entry.content.map((part) => {
      if (part.type !== "file" || typeof part["data"] !== "number") return part;
      const name = files[part["data"]];
      const artifact = task.artifacts?.find(({ artifactId }) => artifactId === name);
      return { ...part, data: artifact?.parts[0]?.raw ?? "" };
    });
    return { role: entry.role, content };
  });
}

/** Returns an utterance as a message of the AI SDK. */
export function modelMessage({ role, content }: Utterance): ModelMessage {
  return { role, content: content.map(partOf) };
}

function partOf(content: ModelContent): ContentPart {
  if ("text" in content) return { type: "text", text: content.text };
  const { data, url, mediaType, filename } = content.file;
  const named = filename === undefined ? {} : { filename };
  // Only the scheme decides here; `fetchFile` checks the address.
  const source = data ?? (url !== undefined && URL.canParse(url) ? new URL(url) : url);
  return { type: "file", data: source, mediaType, ...named };
}

/** Adds the numbers in two reports about usage, which may be nested. */
export function addedUsage(before: unknown, more: unknown): JsonValue {
  if (typeof before === "number" && typeof more === "number") return before + more;
  if (!isObject(before) || !isObject(more)) return json<unknown>(more ?? before);
  const names = new Set([...Object.keys(before), ...Object.keys(more)]);
  const members = [...names].map((name) => [name, addedUsage(before[name], more[name])] as const);
  return Object.fromEntries(members);
}
