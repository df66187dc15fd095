import * as seven from "ai";
import * as six from "ai-6";
import { memberOf } from "../../../../library/bridges/reading.js";
import { callText, fileText, linesOf, type Step } from "../framework.js";

/** Versions of the AI SDK. As far as these tests go, version 6 has the types of version 7. */
export const sdks = { "7": seven, "6": six as unknown as typeof seven };

/** A message in the prompt of a model. */
export interface Prompted {
  readonly role: string;
  readonly content: unknown;
}

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};

/** Options of {@link scripted}. */
export interface ScriptOptions {
  /** Is awaited before each part of the stream. */
  readonly before?: (part: object, signal: AbortSignal | undefined) => Promise<void> | void;
}

/** A model that answers each call with the next step of a script. */
export function scripted(
  next: (last: string, prompt: readonly Prompted[], call: number) => Step,
  { before }: ScriptOptions = {},
) {
  const prompts: (readonly Prompted[])[] = [];
  const streamOf = ({ prompt, abortSignal }: Call): ReadableStream<never> => {
    prompts.push(prompt);
    const last = JSON.stringify(prompt.at(-1)?.content ?? "");
    const parts = partsOf(next(last, prompt, prompts.length), abortSignal);
    return new ReadableStream({
      async pull(target) {
        const { done, value } = await parts.next();
        if (done === true) {
          target.close();
          return;
        }
        await before?.(value, abortSignal);
        abortSignal?.throwIfAborted();
        // The AI SDK checks the parts.
        target.enqueue(value as never);
      },
    });
  };
  const model = {
    specificationVersion: "v3" as const,
    provider: "test",
    modelId: "scripted",
    supportedUrls: {},
    doStream: (call: Call) => Promise.resolve({ stream: streamOf(call) }),
    doGenerate: () => Promise.reject(new Error("The script only streams")),
  };
  return { model, prompts };
}

interface Call {
  readonly prompt: readonly Prompted[];
  readonly abortSignal?: AbortSignal | undefined;
}

async function* partsOf(
  step: Step,
  signal: AbortSignal | undefined,
): AsyncGenerator<object, void, undefined> {
  yield { type: "stream-start", warnings: [] };
  for (const [at, item] of step.entries()) {
    if (typeof item === "function") await item(signal);
    else if (item instanceof Error) yield { type: "error", error: item };
    else if (typeof item === "object") yield item;
    else {
      const id = String(at);
      yield { type: "text-start", id };
      for (const delta of item.split(/(?<= )/)) yield { type: "text-delta", id, delta };
      yield { type: "text-end", id };
    }
  }
  const isCall = step.some((item) => memberOf(item, "type") === "tool-call");
  const unified = isCall ? "tool-calls" : "stop";
  yield { type: "finish", usage, finishReason: { unified, raw: undefined } };
}

/** A call of a tool. */
export function calling(toolName: string, input: object, toolCallId = `call-${toolName}`): object {
  return { type: "tool-call", toolCallId, toolName, input: JSON.stringify(input) };
}

/** Items of a step, which models of the AI SDK and of Mastra stream. */
export const items = {
  call: (tool: string, input: object, id: string = crypto.randomUUID()) => calling(tool, input, id),
  image: (data: string) => ({ type: "file", mediaType: "image/png", data }),
  reasoning: (delta: string) => [
    { type: "reasoning-start", id: "r" },
    { type: "reasoning-delta", id: "r", delta },
    { type: "reasoning-end", id: "r" },
  ],
  decision: (toolCallId: string | undefined, approved: boolean, reason?: string) => ({
    ...(toolCallId !== undefined && { toolCallId }),
    approved,
    ...(reason !== undefined && { reason }),
  }),
};

/** Returns the lines of a prompt. */
export function linesIn(prompt: readonly Prompted[]): string[] {
  const said = prompt.filter(({ role }) => role !== "system");
  return linesOf(
    said.map(({ role, content }) => [role, ...[content].flat<unknown[]>().map(textOf)]),
  );
}

function textOf(part: unknown): string {
  const { type, text, toolName, input, output, ...file } = part as Record<string, unknown>;
  if (type === "file") return fileText(file["mediaType"], file["data"], file["filename"]);
  if (type === "tool-call") return callText(String(toolName), input);
  if (type !== "tool-result") return String(text);
  const value = memberOf(output, "value") ?? memberOf(output, "reason");
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The schema of a tool's input, which any object satisfies. */
export const anyInput = seven.jsonSchema<Record<string, unknown>>({ type: "object" });
