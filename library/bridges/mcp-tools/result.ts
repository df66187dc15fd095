import { isObject, type JsonValue } from "../../runtime/base/json.js";
import type { Part } from "../../kit/model.js";
import { json } from "../../kit/turns/json.js";
import type { Asked } from "./questions.js";

/** Questions of a tool. Without a question, the server asks for another call. */
interface Questions {
  readonly asked: Readonly<Record<string, Asked>>;
  readonly requestState?: string;
}

interface Result {
  readonly parts: Part[];
  readonly structured?: JsonValue;
  readonly isError: boolean;
  readonly error?: string;
}

/**
 * Reads the result of a tool.
 * @throws An `Error` if it is not a result of the protocol
 */
export function readResult(tool: string, result: unknown): Result | Questions {
  const invalid = (problem: string): Error =>
    new Error(`The MCP tool ${tool} has returned an invalid result: ${problem}`);
  if (!isObject(result)) throw invalid("it is not an object");
  const { content = [], structuredContent, isError, resultType } = result;
  if (resultType === "input_required") return questionsIn(result, invalid);
  if (!Array.isArray(content)) throw invalid("content is not a list");
  const parts = content.map((block: unknown, index) => {
    const part = partOf(block);
    if (part === undefined) throw invalid(`content[${String(index)}] is not a content block`);
    return part;
  });
  if (isError === true) {
    const error = parts.flatMap(({ text }) => (text === undefined ? [] : [text])).join("\n");
    return { parts: [], isError: true, error };
  }
  const structured =
    structuredContent === undefined ? {} : { structured: json<unknown>(structuredContent) };
  return { parts, isError: false, ...structured };
}

function questionsIn(
  { inputRequests = {}, requestState }: Readonly<Record<string, unknown>>,
  invalid: (problem: string) => Error,
): Questions {
  if (!isObject(inputRequests)) throw invalid("inputRequests is not an object");
  const asked = Object.entries(inputRequests).map(([key, request]) => {
    const question = questionIn(request);
    if (question === undefined)
      throw invalid(`inputRequests.${key} is not a question that a caller can answer`);
    return [key, question] as const;
  });
  const state = typeof requestState === "string" ? { requestState } : {};
  if (asked.length === 0 && requestState === undefined) throw invalid("it contains no question");
  return { asked: Object.fromEntries(asked), ...state };
}

function questionIn(request: unknown): Asked | undefined {
  if (!isObject(request) || request["method"] !== "elicitation/create") return undefined;
  const { params } = request;
  if (!isObject(params)) return undefined;
  const { message, url, requestedSchema } = params;
  if (typeof message !== "string") return undefined;
  // Callers cannot open other addresses, and should not run scripts.
  if (typeof url === "string") return isHttpUrl(url) ? { message, url } : undefined;
  if (!isObject(requestedSchema)) return undefined;
  return { message, schema: json<object>(requestedSchema) };
}

/** Returns the part for a content block; `undefined` if it is not a content block. */
function partOf(block: unknown): Part | undefined {
  if (!isObject(block)) return undefined;
  const { type, text, data, mimeType, uri, name, resource } = block;
  const media = typeof mimeType === "string" ? { mediaType: mimeType } : {};
  if (type === "text" && typeof text === "string") return { text };
  if ((type === "image" || type === "audio") && typeof data === "string")
    return { raw: data, ...media };
  if (type === "resource_link" && typeof uri === "string") {
    // Callers cannot open other addresses.
    if (!isHttpUrl(uri)) return { data: json<object>(block) };
    return { url: uri, ...media, ...(typeof name === "string" && { filename: name }) };
  }
  return type === "resource" && isObject(resource) ? resourcePart(resource) : undefined;
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function resourcePart({
  text,
  blob,
  mimeType,
  uri,
}: Readonly<Record<string, unknown>>): Part | undefined {
  const about = {
    ...(typeof mimeType === "string" && { mediaType: mimeType }),
    ...(typeof uri === "string" && { filename: fileIn(uri) }),
  };
  if (typeof text === "string") return { text, ...about };
  return typeof blob === "string" ? { raw: blob, ...about } : undefined;
}

/** Returns the last part of the path of a URI. */
function fileIn(uri: string): string {
  const last = /([^/?#:]+)\/?(?:[?#].*)?$/.exec(uri)?.[1] ?? uri;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
