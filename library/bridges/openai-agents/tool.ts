import { type FunctionTool, tool } from "@openai/agents";
import type { RemoteAgent } from "../../client/remote-agent.js";
import type { Part } from "../../kit/model.js";
import { optionalString, stringIn } from "../reading.js";
import { filesIn, reportOf, toolName } from "../report.js";
import { framework } from "./items.js";

/** Options for {@link agentTool}. */
export interface AgentToolOptions {
  /** Name of the tool. Characters that providers of models refuse become underscores. */
  readonly name: string;
  /** Description of the agent, for the model. */
  readonly description: string;
}

/**
 * Returns a tool for the OpenAI Agents SDK that asks a remote agent. Its result is a report as
 * JSON, and files. If the agent asks a question, the report has the state `input-required` with the
 * question and a `taskId`. The model calls the tool again with the `taskId` to answer.
 *
 * @example
 * const researcher = agentTool(remote, { name: "researcher", description: "Finds sources" });
 * const agent = new Agent({ name: "Assistant", tools: [researcher] });
 */
export function agentTool(
  remote: RemoteAgent,
  { name, description }: AgentToolOptions,
): FunctionTool {
  const id = (what: string) => ({ type: ["string", "null"], description: what });
  return tool({
    name: toolName(name),
    description,
    strict: true,
    parameters: {
      type: "object",
      properties: {
        message: { type: "string", description: "The question or the task for the agent" },
        taskId: id("taskId of the last result, to answer its question; otherwise null"),
        contextId: id("contextId of an earlier result, to continue with it; otherwise null"),
      },
      required: ["message", "taskId", "contextId"],
      additionalProperties: false,
    },
    async execute(input, _context, details) {
      const outcome = await remote
        .ask(stringIn(input, "message", framework), {
          taskId: optionalString(input, "taskId"),
          contextId: optionalString(input, "contextId"),
          signal: details?.signal,
        })
        .result();
      const report = JSON.stringify(reportOf(outcome));
      const files = filesIn(outcome);
      return files.length === 0
        ? report
        : [{ type: "text", text: report }, ...files.map(contentOf)];
    },
  });
}

function contentOf({ raw, url, mediaType = "application/octet-stream", filename }: Part): object {
  const source = raw === undefined ? { url: url ?? "" } : { data: raw, mediaType };
  if (mediaType.startsWith("image/")) return { type: "image", image: source };
  return { type: "file", file: { ...source, filename: filename ?? "file" } };
}
