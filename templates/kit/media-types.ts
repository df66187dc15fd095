import type { AgentCard, Message, Part } from "../models.js";
import { ContentTypeNotSupportedError } from "../errors.js";

/**
 * Throws a `ContentTypeNotSupportedError` where a message has a part of a media type that neither the agent nor one of
 * its skills takes, as far as the part says what it is.
 */
export function checkInputModes({ parts }: Message, { defaultInputModes, skills }: AgentCard): void {
  for (const part of parts) {
    const type = mediaTypeOf(part);
    if (type === undefined) continue;
    const takes = (modes: readonly string[] | undefined): boolean =>
      modes?.some((mode) => includes(mode, type)) === true;
    if (takes(defaultInputModes) || skills.some(({ inputModes }) => takes(inputModes))) continue;
    throw new ContentTypeNotSupportedError(`The agent does not take ${type}, but ${defaultInputModes.join(", ")}`, {
      metadata: { mediaType: type },
    });
  }
}

function mediaTypeOf({ mediaType, text, data }: Part): string | undefined {
  if (mediaType !== undefined && mediaType !== "") return essence(mediaType);
  if (text !== undefined) return "text/plain";
  return data === undefined ? undefined : "application/json";
}

/** Whether a mode of a card covers a media type: the same, `text/*`, or a kind alone, such as `text`. */
function includes(mode: string, type: string): boolean {
  if (mode === type) return true;
  const wanted = essence(mode);
  if (wanted === type || wanted === "*/*" || wanted === "*") return true;
  const [kind = "", subtype = "*"] = wanted.split("/");
  return subtype === "*" && type.startsWith(`${kind}/`);
}

/** A media type without its parameters. */
function essence(mediaType: string): string {
  return (mediaType.split(";")[0] ?? "").trim().toLowerCase();
}
