import * as seven from "ai";
import * as six from "ai-6";

/** Versions of the AI SDK. As far as these tests go, version 6 has the types of version 7. */
export const sdks = { "7": seven, "6": six as unknown as typeof seven };

/** An item in a step of the model: text, or a part of the stream. */
export type Item = string | { readonly type: string; readonly [member: string]: unknown };

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
  next: (last: string, prompt: readonly Prompted[], call: number) => readonly Item[],
  { before }: ScriptOptions = {},
) {
  const prompts: (readonly Prompted[])[] = [];
  const streamOf = ({ prompt, abortSignal }: Call): ReadableStream<never> => {
    prompts.push(prompt);
    const last = JSON.stringify(prompt.at(-1)?.content ?? "");
    const parts = partsOf(next(last, prompt, prompts.length));
    return new ReadableStream({
      async pull(target) {
        const { done, value }: IteratorResult<object, void> = parts.next();
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

function* partsOf(items: readonly Item[]): Generator<object, void> {
  yield { type: "stream-start", warnings: [] };
  for (const [at, item] of items.entries()) {
    if (typeof item !== "string") {
      yield item;
      continue;
    }
    const id = String(at);
    yield { type: "text-start", id };
    for (const delta of item.split(/(?<= )/)) yield { type: "text-delta", id, delta };
    yield { type: "text-end", id };
  }
  const isCall = items.some((item) => typeof item !== "string" && item.type === "tool-call");
  const unified = isCall ? "tool-calls" : "stop";
  yield { type: "finish", usage, finishReason: { unified, raw: undefined } };
}

/** A call of a tool. */
export function calling(toolName: string, input: object, toolCallId = `call-${toolName}`): Item {
  return { type: "tool-call", toolCallId, toolName, input: JSON.stringify(input) };
}

/** The schema of a tool's input, which any object satisfies. */
export const anyInput = seven.jsonSchema<Record<string, unknown>>({ type: "object" });
