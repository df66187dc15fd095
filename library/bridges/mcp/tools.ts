import type { Tool } from "@modelcontextprotocol/server";
import type { AgentCard } from "../../kit/model.js";
import { toolName } from "../report.js";

/** Maximum length of a description. Hosts cut longer descriptions, or refuse them. */
const maxDescription = 2_000;

/** Maximum length of the line about a skill. */
const maxLine = 200;

/** A tool by which MCP clients ask an agent. */
export interface AskTool {
  readonly tool: Tool;
  readonly skillId?: string;
}

/** Options for the tools. */
export interface ToolsOptions {
  readonly name?: string;
  readonly skillTools?: boolean;
}

/** Schema of the arguments of each tool. */
const inputSchema = {
  type: "object" as const,
  properties: {
    message: { type: "string", description: "The question or the answer to the agent" },
    files: {
      type: "array",
      items: {
        type: "object",
        properties: {
          name: { type: "string" },
          mimeType: { type: "string" },
          data: { type: "string", description: "Content in base64" },
          uri: { type: "string", description: "HTTPS URL, instead of data" },
        },
        required: ["mimeType"],
      },
    },
    contextId: {
      type: "string",
      description: "contextId of an earlier result, to continue its conversation",
    },
    taskId: {
      type: "string",
      description:
        "taskId of a result that asks a question or for a sign-in: pass the answer as the " +
        "message, or no message to wait for the task",
    },
  },
};

/** Returns the tools for an agent: one, or one for each skill. */
export function toolsOf(
  card: AgentCard | undefined,
  { name = card?.name ?? "agent", skillTools = false }: ToolsOptions,
): AskTool[] {
  if (!skillTools || card === undefined) {
    const description = card === undefined ? "" : descriptionOf(card);
    return [{ tool: toolOf(toolName(`ask_${name}`), card?.name ?? name, description) }];
  }
  const names = new Set<string>();
  return card.skills.map(({ id, name: title, description }) => {
    const about = `${line(card.description)}\n\n${line(description, maxDescription / 2)}`;
    return { tool: toolOf(newName(toolName(id), names), title, about), skillId: id };
  });
}

function toolOf(name: string, title: string, description: string): Tool {
  return {
    name,
    title: line(title),
    description,
    inputSchema,
    annotations: { openWorldHint: true },
  };
}

/** Returns the description of an agent with as many skills as its length allows. */
function descriptionOf({ description, skills }: AgentCard): string {
  let text = line(description, maxDescription / 2);
  if (skills.length > 0) text += "\n\nSkills:";
  for (const [index, skill] of skills.entries()) {
    const about = `\n${skillLine(skill)}`;
    if (text.length + about.length > maxDescription)
      return `${text}\n- and ${String(skills.length - index)} more`;
    text += about;
  }
  return text;
}

function skillLine({ name, description }: AgentCard["skills"][number]): string {
  return line(`- ${name}: ${description}`);
}

/** Returns a text without line breaks, control characters and invisible characters, of a maximum length. */
function line(text: string, max = maxLine): string {
  const plain = text.replace(/[\s\p{Cc}\p{Cf}\p{Surrogate}]+/gu, " ").trim();
  return plain.length > max ? `${plain.slice(0, max - 1)}…` : plain;
}

/** Returns a name that no other tool has. */
function newName(name: string, names: Set<string>): string {
  let found = name;
  for (let number = 2; names.has(found); number++) found = `${name.slice(0, 56)}_${String(number)}`;
  names.add(found);
  return found;
}
