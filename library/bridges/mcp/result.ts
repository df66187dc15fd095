import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";
import type { Outcome } from "../../client/answer.js";
import { type Part, TaskState } from "../../kit/model.js";
import { isTerminal } from "../../kit/states.js";
import { callProblem, reportOf } from "../report.js";
import { ArgumentError } from "./arguments.js";

/** Returns the result for an outcome: text, files and data, then state and ids for the model. */
export function resultOf(outcome: Outcome): CallToolResult {
  const report = reportOf(outcome);
  const { answer, message = "", ...rest } = report;
  const texts = [answer, message].filter((text) => text !== "").map(textBlock);
  const others = outcome.parts.flatMap((part, index) => blocksOf(part, index));
  const forModel: ContentBlock = {
    ...textBlock(JSON.stringify(rest)),
    annotations: { audience: ["assistant"] },
  };
  return {
    content: [...texts, ...others, forModel],
    structuredContent: { ...report },
    ...(isTerminal(outcome.state) && outcome.state !== TaskState.Completed && { isError: true }),
  };
}

/** Returns the result of a call that failed. */
export function failure(text: string): CallToolResult {
  return { content: [textBlock(text)], isError: true };
}

/** Returns the sentence by which callers learn about an error. */
export function problemWith(error: unknown): string {
  if (error instanceof ArgumentError) return `${error.message}.`;
  return callProblem(error);
}

function blocksOf(part: Part, index: number): ContentBlock[] {
  const { raw, url, data, mediaType: mimeType = "application/octet-stream" } = part;
  const name = part.filename ?? `file-${String(index + 1)}`;
  if (url !== undefined) return [{ type: "resource_link", uri: url, name, mimeType }];
  if (data !== undefined) return [textBlock(JSON.stringify(data))];
  if (raw === undefined) return [];
  if (mimeType.startsWith("image/")) return [{ type: "image", data: raw, mimeType }];
  if (mimeType.startsWith("audio/")) return [{ type: "audio", data: raw, mimeType }];
  const uri = `a2a:${encodeURIComponent(name.replace(/\p{Surrogate}/gu, "_"))}`;
  return [{ type: "resource", resource: { uri, blob: raw, mimeType } }];
}

function textBlock(text: string): ContentBlock & { type: "text" } {
  return { type: "text", text };
}
