/**
 * Reads events, responses and webhook requests of every version of A2A into one form. Agents can
 * send anything, so each member is read as an unknown value.
 */

import { isObject, type Json } from "../../agents/findings.js";

/** A message, with its content as text. */
export interface MessageForm {
  readonly id: string;
  readonly isUser: boolean;
  readonly text: string;
  readonly taskId: string;
}

/** The status of a task. */
export interface StatusForm {
  /** The state as words in lower case: `input required`. */
  readonly state: string;
  /** The time on the clock of the agent, or an empty string. */
  readonly timestamp: string;
  readonly message: MessageForm | undefined;
}

/** An artifact, or a chunk of an artifact. */
export interface ArtifactForm {
  readonly id: string;
  /** An empty string for most chunks after the first. */
  readonly name: string;
  /** The beginning of its content. */
  readonly text: string;
  readonly bytes: number;
}

/** The content of an event. */
export type EventForm =
  | {
      readonly kind: "task";
      readonly taskId: string;
      readonly status: StatusForm;
      readonly artifacts: readonly ArtifactForm[];
      readonly history: readonly MessageForm[];
    }
  | { readonly kind: "status"; readonly taskId: string; readonly status: StatusForm }
  | {
      readonly kind: "artifact";
      readonly taskId: string;
      readonly artifact: ArtifactForm;
      readonly isAppended: boolean;
      readonly isLast: boolean;
    }
  | { readonly kind: "message"; readonly taskId: string; readonly message: MessageForm }
  | { readonly kind: "error"; readonly taskId: ""; readonly code: string; readonly text: string };

/** Number of characters of content that are read for display. */
const readText = 2_000;

/** Reads an event. Returns `undefined` for JSON of other forms, and for other text. */
export function formOf(data: string): EventForm | undefined {
  const value = parsed(data);
  if (value === undefined) return undefined;
  // The envelope of JSON-RPC has a result or an error.
  if (isObject(value["result"])) return formOfResult(value["result"]);
  return isObject(value["error"]) ? errorForm(value["error"]) : formOfResult(value);
}

/** Parses a JSON object. Returns `undefined` for other text. */
export function parsed(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The wrapping members of versions with protobuf, and the value of `kind` in other versions. */
const wrappers = {
  task: taskForm,
  message: replyForm,
  msg: replyForm,
  statusUpdate: statusForm,
  "status-update": statusForm,
  artifactUpdate: artifactForm,
  "artifact-update": artifactForm,
} as const;

function formOfResult(value: Json): EventForm | undefined {
  for (const [name, read] of Object.entries(wrappers)) {
    if (value["kind"] === name) return read(value);
    if (isObject(value[name])) return read(value[name]);
  }
  // Calls such as GetTask return the task alone. Version 0.1 has no kinds.
  if (!isObject(value["status"])) return "artifact" in value ? artifactForm(value) : undefined;
  return "final" in value ? statusForm(value) : taskForm(value);
}

function errorForm({ code, message, status }: Json): EventForm {
  const codes = [code, status].filter((each) => isText(each) || typeof each === "number");
  return { kind: "error", taskId: "", code: codes.join(" "), text: textOf(message) };
}

function taskForm(task: Json): EventForm | undefined {
  if (!isText(task["id"]) || !isObject(task["status"])) return undefined;
  return {
    kind: "task",
    taskId: task["id"],
    status: statusOf(task["status"]),
    artifacts: objectsOf(task["artifacts"]).map(artifactOf),
    history: objectsOf(task["history"]).map(messageOf),
  };
}

function statusForm(update: Json): EventForm | undefined {
  if (!isObject(update["status"])) return undefined;
  return {
    kind: "status",
    taskId: textOf(update["taskId"] ?? update["id"]),
    status: statusOf(update["status"]),
  };
}

function artifactForm(update: Json): EventForm | undefined {
  const { artifact } = update;
  if (!isObject(artifact)) return undefined;
  return {
    kind: "artifact",
    taskId: textOf(update["taskId"] ?? update["id"]),
    artifact: artifactOf(artifact),
    isAppended: (update["append"] ?? artifact["append"]) === true,
    isLast: (update["lastChunk"] ?? artifact["lastChunk"]) === true,
  };
}

function replyForm(value: Json): EventForm {
  const message = messageOf(value);
  return { kind: "message", taskId: message.taskId, message };
}

/** Reads a message. */
export function messageOf(message: Json): MessageForm {
  return {
    id: textOf(message["messageId"]),
    isUser: /user$/i.test(textOf(message["role"])),
    text: contentOf(partsOf(message)),
    taskId: textOf(message["taskId"]),
  };
}

function statusOf({ state, timestamp, message }: Json): StatusForm {
  return {
    state: textOf(state)
      .replace(/^TASK_STATE_/, "")
      .replaceAll(/[_-]/g, " ")
      .toLowerCase()
      .replace("cancelled", "canceled"),
    timestamp: textOf(timestamp),
    message: isObject(message) ? messageOf(message) : undefined,
  };
}

function artifactOf(artifact: Json): ArtifactForm {
  const parts = partsOf(artifact);
  return {
    // Version 0.1 has an index instead of an id.
    id: textOf(artifact["artifactId"] ?? String(Number(artifact["index"] ?? 0))),
    name: textOf(artifact["name"]),
    text: contentOf(parts),
    bytes: parts.reduce((sum, part) => sum + bytesOf(part), 0),
  };
}

function partsOf({ parts, content }: Json): readonly Json[] {
  return objectsOf(parts ?? content);
}

/** Returns the beginning of the content of parts: text, data as JSON, and the names of files. */
function contentOf(parts: readonly Json[]): string {
  let content = "";
  for (const part of parts) {
    if (content.length >= readText) break;
    const text = part["text"] ?? fileText(part) ?? dataText(part);
    content += `${content === "" || isText(part["text"]) ? "" : " "}${textOf(text)}`;
  }
  return content.length > readText ? copyOf(content.slice(0, readText)) : content;
}

/** Copies a part of a string, because engines keep the whole string for the part. */
function copyOf(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}

/** Returns the name of a file, or a word for a file without a name. */
function fileText(part: Json): string | undefined {
  const file = fileOf(part);
  if (file === undefined) return undefined;
  const name = textOf(file["filename"] ?? file["name"]);
  const type = textOf(file["mediaType"] ?? file["mimeType"]);
  const source = textOf(file["url"] ?? file["uri"] ?? file["fileWithUri"]);
  return `file ${name || source || type}`.trim();
}

function fileOf(part: Json): Json | undefined {
  if (isObject(part["file"])) return part["file"];
  return "raw" in part || "url" in part ? part : undefined;
}

function dataText(part: Json): string | undefined {
  return "data" in part ? jsonOf(part["data"]) : undefined;
}

/** Returns the number of bytes of a part: text in UTF-8, files decoded, data as JSON. */
function bytesOf(part: Json): number {
  if (isText(part["text"])) return utf8Length(part["text"]);
  const file = fileOf(part);
  if (file === undefined) return utf8Length(dataText(part) ?? "");
  const base64 = textOf(file["raw"] ?? file["bytes"] ?? file["fileWithBytes"]);
  return Math.floor((base64.replace(/=+$/, "").length * 3) / 4);
}

const encoder = new TextEncoder();

function utf8Length(text: string): number {
  return encoder.encode(text).length;
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // Too deep for the stack.
    return "data";
  }
}

function objectsOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** Returns a value if it is a text, and an empty text otherwise. */
export function textOf(value: unknown): string {
  return isText(value) ? value : "";
}
