import { createTool, type Tool } from "@mastra/core/tools";
import type { Answer, Outcome } from "../client/answer.js";
import type { RemoteAgent } from "../client/remote-agent.js";
import type { Part } from "../kit/model.js";
import { isInterrupted } from "../kit/states.js";
import { json } from "../kit/turns/json.js";
import { memberOf, optionalString, stringIn } from "./reading.js";
import { filesIn, type Report, reportOf, toolName } from "./report.js";

/** Options for {@link agentTool}. */
export interface AgentToolOptions {
  /** Id of the tool. Characters that providers of models refuse become underscores. */
  readonly id: string;
  /** Description of the agent, for the model. */
  readonly description: string;
}

/** The result of the tool. */
export interface AgentToolResult extends Report {
  readonly files?: readonly Part[];
}

const text = { type: "string" as const };
const inputSchema = {
  type: "object" as const,
  properties: {
    message: { ...text, description: "The question or the task for the agent" },
    contextId: { ...text, description: "contextId of an earlier result, to continue with it" },
  },
  required: ["message"],
};
const suspendSchema = {
  type: "object" as const,
  properties: { question: text, taskId: text, signInAt: { type: "array" as const, items: text } },
  required: ["question", "taskId"],
};
const resumeSchema = {
  type: "object" as const,
  properties: { answer: text },
  required: ["answer"],
};

/**
 * Returns a Mastra tool that asks a remote agent. If the agent asks a question, the run of the
 * calling agent is suspended with `{ question, taskId, signInAt? }`. Resume the run with
 * `{ answer }` to answer the same task. The tool writes text and progress to the stream of the run
 * as they arrive.
 *
 * @example
 * const researcher = agentTool(remote, { id: "researcher", description: "Finds sources" });
 * new Agent({ …, tools: { researcher } });
 */
export function agentTool(remote: RemoteAgent, { id, description }: AgentToolOptions): Tool {
  return createTool({
    id: toolName(id),
    description,
    inputSchema,
    suspendSchema,
    resumeSchema,
    async execute(input, context) {
      const run = context.agent ?? context.workflow ?? context;
      const options = { signal: context.abortSignal };
      const hear = async (answer: Answer): Promise<Outcome> => {
        for await (const update of answer) await context.writer?.write(json<object>(update));
        return answer.result();
      };
      const taskId = optionalString(run.suspendPayload, "taskId");
      let outcome: Outcome | undefined;
      if (run.resumeData === undefined || taskId === undefined) {
        const contextId = optionalString(input, "contextId");
        outcome = await hear(
          remote.ask(stringIn(input, "message", "Mastra"), { ...options, contextId }),
        );
      } else {
        // After a sign-in, many agents continue without a message.
        if (memberOf(run.suspendPayload, "signInAt") !== undefined)
          outcome = await hear(remote.follow(taskId, options));
        if (outcome === undefined || isInterrupted(outcome.state))
          outcome = await hear(
            remote.ask(stringIn(run.resumeData, "answer", "Mastra"), { ...options, taskId }),
          );
      }
      const report = reportOf(outcome);
      if (report.taskId === undefined || run.suspend === undefined)
        return resultOf(report, outcome);
      const { signInAt } = report;
      const asked = { question: outcome.said, taskId: report.taskId };
      return run.suspend(signInAt === undefined ? asked : { ...asked, signInAt });
    },
    toModelOutput: contentOf,
  });
}

function resultOf(report: Report, outcome: Outcome): AgentToolResult {
  const files = filesIn(outcome);
  return files.length === 0 ? report : { ...report, files };
}

/** Returns the content for the model: the report as text, and the files. */
function contentOf(result: unknown): unknown {
  const files = memberOf(result, "files");
  if (!Array.isArray(files)) return { type: "json", value: result };
  const report = { ...(result as AgentToolResult), files: undefined };
  const media = files.flatMap<unknown>((part) => {
    const { raw: data, url, mediaType = "application/octet-stream" } = part as Part;
    return data === undefined
      ? [{ type: "text", text: `A file at ${url ?? ""}` }]
      : [{ type: "media", data, mediaType }];
  });
  return { type: "content", value: [{ type: "text", text: JSON.stringify(report) }, ...media] };
}
