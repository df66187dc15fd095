/** Part of a message to the model, in the form of the AI SDK. */
export type ModelPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "file"; readonly data: string; readonly mediaType: string };

/** Message to the model, in the form of the AI SDK. */
export interface ModelMessage {
  readonly role: "user" | "assistant";
  readonly content: ModelPart[];
}

/** Function that the model can call. */
export interface Tool<Input> {
  readonly description: string;
  readonly execute: (input: Input) => Promise<string>;
}

/** Arguments of {@link streamText}. */
export interface Prompt {
  readonly messages: readonly ModelMessage[];
  readonly tools: {
    readonly weather: Tool<{ city: string }>;
    readonly save: Tool<{ name: string; text: string }>;
  };
  readonly abortSignal: AbortSignal;
}

/** Part of the model's answer, in the form of the AI SDK. */
export type StreamPart =
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "tool-call"; readonly toolName: string }
  | { readonly type: "error"; readonly error: unknown };

/**
 * Stands in for `streamText` of the AI SDK: it has the same arguments and result, but its answers
 * are scripted.
 */
export function streamText(prompt: Prompt): {
  readonly fullStream: AsyncIterable<StreamPart>;
} {
  return { fullStream: stream(prompt) };
}

async function* stream(prompt: Prompt): AsyncGenerator<StreamPart> {
  const { messages, tools, abortSignal } = prompt;
  const parts = messages.at(-1)?.content ?? [];
  const question = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  if (question.includes("weather")) {
    yield* say("Let me look. ", abortSignal);
    yield { type: "tool-call", toolName: "weather" };
    yield* say(
      `It is ${await tools.weather.execute({ city: "Oslo" })} in Oslo.`,
      abortSignal,
    );
  } else if (question.includes("file")) {
    yield { type: "tool-call", toolName: "save" };
    yield* say(
      await tools.save.execute({ name: "notes.txt", text: "Bring a coat." }),
      abortSignal,
    );
  } else if (question.includes("Count")) {
    yield* say(
      Array.from({ length: 1_000 }, (_, index) => index + 1).join(" "),
      abortSignal,
    );
  } else if (question.includes("error")) {
    yield { type: "error", error: new Error("The model is not available") };
  } else {
    const files = parts.flatMap((part) =>
      part.type === "file" ? [`${part.mediaType}: ${atob(part.data)}`] : [],
    );
    yield* say(
      files.join() || `I remember ${String(messages.length - 1)} earlier messages.`,
      abortSignal,
    );
  }
}

async function* say(text: string, abortSignal: AbortSignal): AsyncGenerator<StreamPart> {
  for (const word of text.split(/(?<= )/)) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    abortSignal.throwIfAborted();
    yield { type: "text-delta", text: word };
  }
}
