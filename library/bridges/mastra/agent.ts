import type { ModelContent, Utterance } from "../conversation.js";

/**
 * The members of a Mastra `Agent` that the bridge uses, so that the library does not import Mastra.
 */
export interface MastraAgent {
  readonly name?: string;
  getMastraInstance(): { getStorage(): unknown } | undefined;
  stream(messages: MastraMessage[], options: MastraCall): Promise<MastraOutput>;
  resumeStream(data: unknown, options: MastraResumption): Promise<MastraOutput>;
  approveToolCall(options: MastraResumption): Promise<MastraOutput>;
  declineToolCall(options: MastraResumption & { reason?: string }): Promise<MastraOutput>;
}

/** Options for a call of a Mastra agent. */
export interface MastraCall {
  abortSignal: AbortSignal;
}

/** Options for a call that resumes a run. */
export interface MastraResumption extends MastraCall {
  runId: string;
  toolCallId: string;
}

/** The result of a call of a Mastra agent. */
export interface MastraOutput {
  readonly runId: string;
  readonly fullStream: AsyncIterable<unknown>;
}

/** A message for a Mastra agent. */
export type MastraMessage =
  { role: "user"; content: MastraPart[] } | { role: "assistant"; content: MastraPart[] };

type MastraPart =
  | { type: "text"; text: string }
  | { type: "file"; data: string | URL; mediaType: string; filename?: string };

/** Returns the message for an utterance. */
export function messageOf({ role, content }: Utterance): MastraMessage {
  return { role, content: content.map(partOf) };
}

function partOf(content: ModelContent): MastraPart {
  if (!("file" in content)) return { type: "text", text: content.text };
  const { data, url, ...file } = content.file;
  return { type: "file", data: data ?? new URL(url ?? ""), ...file };
}
