import type { Artifact, Part, StreamResponse, Task } from "../kit/model.js";
import { hasAll, isSame, isSameStatus } from "./same.js";

/**
 * Returns the events that lead from a task to a later state of the same task: an event for each
 * artifact that is new, was replaced or has additional parts, and an event for the status if it has
 * changed. If events cannot express the change, such as a removed artifact, returns one event with
 * the later task.
 */
export function differences(before: Task, now: Task): StreamResponse[] {
  const [old = [], artifacts = []] = [before.artifacts, now.artifacts];
  if (old.some(({ artifactId }, at) => artifacts[at]?.artifactId !== artifactId))
    return [{ task: now }];
  const ids = { taskId: now.id, contextId: now.contextId ?? "" };
  const events: StreamResponse[] = artifacts.flatMap((artifact, at) => {
    const chunk = chunkOf(old[at], artifact);
    return chunk === undefined ? [] : [{ artifactUpdate: { ...ids, ...chunk } }];
  });
  if (!isSameStatus(before.status, now.status))
    events.push({ statusUpdate: { ...ids, status: now.status } });
  return events;
}

/** Returns the change from one version of an artifact to another; `undefined` if they are equal. */
function chunkOf(
  before: Artifact | undefined,
  now: Artifact,
): { artifact: Artifact; append?: true } | undefined {
  if (before === undefined) return { artifact: now };
  const { parts: old, metadata: known, ...head } = before;
  const { parts, metadata, ...headNow } = now;
  const more = isSame(head, headNow) ? partsAfter(old, parts) : undefined;
  if (more === undefined) return { artifact: now };
  // The metadata of chunks may be missing from the later task.
  const hasMetadata = hasAll(known, metadata);
  if (more.length === 0 && hasMetadata) return undefined;
  const { artifactId } = now;
  return {
    artifact: { artifactId, parts: more, ...(!hasMetadata && metadata && { metadata }) },
    append: true,
  };
}

/**
 * Returns the parts that were appended to a list of parts; `undefined` if the existing parts have
 * changed.
 */
export function partsAfter(before: readonly Part[], now: readonly Part[]): Part[] | undefined {
  if (before.every((part, at) => isSame(part, now[at]))) return now.slice(before.length);
  // Agents may have joined chunks of text that they sent separately.
  const [old, parts] = [joined(before), joined(now)];
  const at = old.length - 1;
  const [last, next] = [old.at(at), parts.at(at)];
  if (last === undefined || next === undefined) return undefined;
  if (!old.slice(0, at).every((part, index) => isSame(part, parts[index]))) return undefined;
  const rest = parts.slice(old.length);
  if (isSame(last, next)) return rest;
  const { text = "" } = last;
  if (!isTextLike(last, next) || !next.text.startsWith(text)) return undefined;
  return [{ ...next, text: next.text.slice(text.length) }, ...rest];
}

/** Joins adjacent text parts whose other members are equal. */
export function joined(parts: readonly Part[]): Part[] {
  const result: Part[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (last === undefined || !isTextLike(last, part)) result.push(part);
    else result[result.length - 1] = { ...part, text: (last.text ?? "") + part.text };
  }
  return result;
}

/** Returns whether two parts are text parts whose other members are equal. */
export function isTextLike(first: Part, second: Part): second is Part & { readonly text: string } {
  if (first.text === undefined || second.text === undefined) return false;
  return isSame({ ...first, text: "" }, { ...second, text: "" });
}
