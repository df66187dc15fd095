import { type Artifact, type Message, type Part, Role, type Task } from "../kit/model.js";
import type { Turn } from "../kit/turns/turn.js";
import { textOf } from "../kit/turns/updates.js";

/** A file for a model: base64 or a URL. */
export interface FileContent {
  readonly mediaType: string;
  readonly filename?: string;
  readonly data?: string;
  readonly url?: string;
}

/** Content for a model: text, or a file. */
export type ModelContent = { readonly text: string } | { readonly file: FileContent };

/** Content that the user or the agent has added to a conversation. */
export interface Utterance {
  readonly role: "user" | "assistant";
  readonly content: readonly ModelContent[];
}

/** Key in the metadata of an artifact that contains the reasoning of a model, not an answer. */
export const reasoningKey = "reasoning";

/**
 * Returns the utterances in the earlier tasks of a conversation, oldest first: the messages of the
 * user, and the artifacts of the agent. A file at a URL is only mentioned, because it may no longer
 * exist.
 */
export async function earlierUtterances(
  { contextTasks }: Pick<Turn, "contextTasks">,
  limit: number,
): Promise<Utterance[]> {
  if (limit === 0) return [];
  const tasks = await contextTasks(limit);
  return [...tasks].reverse().flatMap(utterancesIn);
}

/** Returns the utterance of a message from the user. */
export function utteranceOf({ parts }: Pick<Message, "parts">): Utterance {
  return { role: "user", content: parts.map(contentOf) };
}

function utterancesIn({ history = [], artifacts = [] }: Task): Utterance[] {
  const asked = history.filter(({ role }) => role === Role.User).map(utteranceOf);
  const answer = artifacts.filter(({ metadata }) => metadata?.[reasoningKey] !== true);
  const content = answer.flatMap(contentIn);
  const said: Utterance[] = content.length === 0 ? [] : [{ role: "assistant", content }];
  return [...asked, ...said].map(({ role, content: all }) => ({ role, content: all.map(mention) }));
}

/** Returns the text of an artifact as one part, then its files. */
function contentIn(artifact: Artifact): ModelContent[] {
  const text = textOf(artifact);
  const files = artifact.parts.filter(({ raw, url }) => raw !== undefined || url !== undefined);
  return [...(text === "" ? [] : [{ text }]), ...files.map(contentOf)];
}

function contentOf({ text, raw, url, data, mediaType, filename }: Part): ModelContent {
  if (text !== undefined) return { text };
  const named = filename === undefined ? {} : { filename };
  const file = { mediaType: mediaType ?? "application/octet-stream", ...named };
  if (raw !== undefined) return { file: { ...file, data: raw } };
  if (url !== undefined) return { file: { ...file, url } };
  return { text: JSON.stringify(data) };
}

function mention(content: ModelContent): ModelContent {
  if (!("file" in content) || content.file.url === undefined) return content;
  const { filename = "A file", url } = content.file;
  return { text: `${filename} at ${url}` };
}
