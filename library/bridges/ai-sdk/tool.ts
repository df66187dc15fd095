import type { RemoteAgent } from "../../client/remote-agent.js";
import { filesIn, type Report, reportOf } from "../report.js";
import { type ToolInput, toolInput } from "../tool-input.js";

/** Options for {@link agentTool}. */
export interface AgentToolOptions {
  /** Description for the model: the abilities of the agent, and when to ask it. */
  readonly description: string;
  /** Conversation with the agent to which all calls of the tool belong. */
  readonly contextId?: string;
}

/** A file in the result of the tool. */
interface ToolFile {
  mediaType: string;
  filename?: string;
  data?: string;
  url?: string;
}

/** Result of the tool: the answer so far, then the report about the outcome. */
export interface ToolOutput extends Omit<Report, "signInAt"> {
  readonly signInAt?: readonly string[];
  readonly files: readonly ToolFile[];
}

/** A part of the result in the form in which the model gets it. */
type OutputPart =
  | { type: "text"; text: string }
  | { type: "file-data"; data: string; mediaType: string; filename?: string };

/** A tool of the AI SDK. */
export interface AgentTool {
  readonly description: string;
  readonly inputSchema: typeof toolInput;
  readonly execute: (
    input: ToolInput,
    options: { readonly abortSignal?: AbortSignal | undefined },
  ) => AsyncGenerator<ToolOutput>;
  readonly toModelOutput: (given: { readonly output: ToolOutput }) => {
    type: "content";
    value: OutputPart[];
  };
}

/**
 * Returns a tool for the AI SDK, version 6 or 7, that asks a remote agent. The answer so far is a
 * preliminary result. If the agent asks a question, the result contains the question and a
 * `taskId`, and the model calls the tool again with this id.
 *
 * @example
 * const tools = { researcher: agentTool(agent, { description: "Searches papers" }) };
 */
export function agentTool(
  agent: Pick<RemoteAgent, "ask">,
  { description, contextId }: AgentToolOptions,
): AgentTool {
  return {
    description,
    inputSchema: toolInput,
    async *execute({ message, taskId }, { abortSignal: signal }) {
      const answer = agent.ask(message, { taskId, contextId, signal });
      let text = "";
      for await (const update of answer) {
        if (update.type === "replaced") text = "";
        else if (update.type === "text") text += update.text;
        else continue;
        yield { state: "working", answer: text, files: [] };
      }
      const outcome = await answer.result();
      const files = filesIn(outcome).map(
        ({ raw, url, mediaType = "application/octet-stream", filename }): ToolFile => ({
          mediaType,
          ...(filename !== undefined && { filename }),
          ...(raw === undefined ? { url: url ?? "" } : { data: raw }),
        }),
      );
      yield { ...reportOf(outcome), files };
    },
    toModelOutput: ({ output: { files, ...report } }) => ({
      type: "content",
      value: [
        { type: "text", text: JSON.stringify(report) },
        ...files.map(({ data, url, ...file }): OutputPart =>
          data === undefined
            ? { type: "text", text: `File (${file.mediaType}): ${url ?? ""}` }
            : { type: "file-data", data, ...file },
        ),
      ],
    }),
  };
}
