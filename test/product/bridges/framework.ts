import type { ServingOptions } from "../../../library/bridges/answer.js";
import type { JsonObject } from "../../../library/runtime/base/json.js";
import type { Behavior } from "../../../library/kit/turns/turn.js";

/**
 * A step of a scripted model: texts, which stream word by word, items of the framework, errors, and
 * functions that the model waits for.
 */
export type Step = readonly (
  string | object | Error | ((signal: AbortSignal | undefined) => Promise<unknown>)
)[];

/** Returns the next step of a model from the last line of its prompt, and all lines. */
export type Script = (last: string, lines: readonly string[]) => Step;

/** The tools of an agent. */
export interface Tools {
  /** Requires an approval. */
  readonly mail: (to: string) => string;
  readonly weather: (city: string) => string;
  readonly slow: (signal: AbortSignal | undefined) => Promise<string>;
}

/** Mails that the tool `mail` has sent. */
export const sent: string[] = [];

/** The tools of most tests. */
export const desk: Tools = {
  mail(to) {
    sent.push(to);
    return `mailed ${to}`;
  },
  weather(city) {
    if (city === "Atlantis") throw new Error("secret of the tool");
    return `${city} is sunny`;
  },
  slow: () => new Promise(() => undefined),
};

/** Something that not all frameworks can do. */
export type Ability = "two questions at once" | "known ids of questions" | "errors of tools";

/** A framework whose agents can be served. */
export interface Framework {
  readonly name: string;
  /** Abilities that the framework does not have, with the reasons. */
  readonly lacks: Readonly<Partial<Record<Ability, string>>>;
  /** Makes an agent of the framework with a scripted model. */
  readonly agent: (script: Script, tools: Tools) => FrameworkAgent;
  /** Returns the item of a step that calls a tool. */
  readonly call: (tool: string, input: object, id?: string) => object;
  /** Returns the item of a step that is a PNG image in base64. */
  readonly image: (data: string) => object;
  /** Returns the items of a step that are reasoning. */
  readonly reasoning: (text: string) => Step;
  /** Returns the metadata of a task with this number of calls of the model. */
  readonly metadata: (calls: number) => object;
  /** Returns the data that decides about a call of a tool; about all calls without an id. */
  readonly decision: (id: string | undefined, approved: boolean, reason?: string) => JsonObject;
}

/** An agent of a framework. */
export interface FrameworkAgent {
  /** Serves the agent with a bridge. */
  readonly serve: (options: ServingOptions) => Behavior;
  /** Returns the text that the agent streams without a bridge. */
  readonly stream: (prompt: string) => Promise<string>;
}

/**
 * Returns the lines of a prompt from the roles and the texts of its messages. Adjoining results of
 * tools are one line, and so are adjoining texts and calls of the assistant.
 */
export function linesOf(said: readonly (readonly string[])[]): string[] {
  const lines: string[][] = [];
  for (const [role = "", ...texts] of said) {
    const last = lines.at(-1);
    if (role !== "user" && last?.[0] === role) last.push(...texts);
    else lines.push([role, ...texts]);
  }
  return lines.map(([role = "", ...texts]) => `${role}: ${texts.join(" ")}`);
}

/** Returns the usage of a number of calls of a scripted model. */
export function usageOf(calls: number): object {
  return { inputTokens: 10 * calls, outputTokens: 5 * calls, totalTokens: 15 * calls };
}

/** Returns the step of a model that reads these lines. */
export function stepOf(script: Script, lines: readonly string[]): Step {
  return script(lines.at(-1) ?? "", lines);
}

/** Returns how a line shows the call of a tool. */
export function callText(tool: string, input: unknown): string {
  return `${tool}(${typeof input === "string" ? input : JSON.stringify(input)})`;
}

/** Returns how a line shows a file, whose content is base64 or bytes. */
export function fileText(mediaType: unknown, content: unknown, name?: unknown): string {
  const data = content instanceof Uint8Array ? Buffer.from(content).toString("base64") : content;
  return `[${[name ?? [], mediaType, data].flat().join(" ")}]`;
}
