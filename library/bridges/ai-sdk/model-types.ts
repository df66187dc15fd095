import type { JsonValue } from "../../runtime/base/json.js";

/** JSON object of the AI SDK. */
type JsonMembers = Record<string, JsonValue>;

/** Metadata of a provider, by its name. */
export type ProviderMetadata = Record<string, JsonMembers>;

/** A warning about a part of a call that the model does not support. */
export type Warning = { type: "unsupported"; feature: string } | { type: "other"; message: string };

/** Usage of a model. */
export interface Usage {
  inputTokens: {
    total: number | undefined;
    noCache: number | undefined;
    cacheRead: number | undefined;
    cacheWrite: number | undefined;
  };
  outputTokens: {
    total: number | undefined;
    text: number | undefined;
    reasoning: number | undefined;
  };
}

/** Reason for the end of a response. */
export interface FinishReason {
  unified: "stop" | "other";
  raw: string | undefined;
}

/** A file that the model has created. */
export interface FilePart {
  type: "file";
  mediaType: string;
  data: string;
}

/** A link that the model has created. */
export interface SourcePart {
  type: "source";
  sourceType: "url";
  id: string;
  url: string;
  title?: string;
}

/** End of a response. */
export interface FinishPart {
  type: "finish";
  usage: Usage;
  finishReason: FinishReason;
  providerMetadata: ProviderMetadata;
}

/** An element of the stream of a model. */
export type ModelPart =
  | { type: "stream-start"; warnings: Warning[] }
  | { type: "text-start"; id: string }
  | { type: "text-delta"; id: string; delta: string }
  | { type: "text-end"; id: string; providerMetadata?: ProviderMetadata }
  | FilePart
  | SourcePart
  | FinishPart
  | { type: "error"; error: unknown };

/** The response of a model that does not stream. */
export interface Generated {
  content: (
    { type: "text"; text: string; providerMetadata?: ProviderMetadata } | FilePart | SourcePart
  )[];
  finishReason: FinishReason;
  usage: Usage;
  providerMetadata: ProviderMetadata;
  warnings: Warning[];
}

/** The members of a call of the AI SDK that a remote agent uses. */
export interface ModelCall {
  readonly prompt: readonly PromptMessage[];
  readonly tools?: readonly unknown[] | undefined;
  readonly responseFormat?: { readonly type: string } | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly providerOptions?: ProviderOptions | undefined;
}

/** Options for a provider, by its name. */
export type ProviderOptions = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A message in the prompt for a model. */
export interface PromptMessage {
  readonly role: string;
  readonly content: string | readonly PromptPart[];
  readonly providerOptions?: ProviderOptions | undefined;
}

/** A part of a message in the prompt for a model. */
export interface PromptPart {
  readonly type: string;
  readonly text?: unknown;
  readonly data?: unknown;
  readonly mediaType?: unknown;
  readonly filename?: unknown;
  readonly providerOptions?: ProviderOptions | undefined;
}

/** A language model of the AI SDK. */
export interface RemoteModel {
  readonly specificationVersion: "v3";
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: Record<string, RegExp[]>;
  readonly doStream: (call: ModelCall) => Promise<{ stream: ReadableStream<ModelPart> }>;
  readonly doGenerate: (call: ModelCall) => Promise<Generated>;
}
