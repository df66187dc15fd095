import type { AgentCard, Message, Part } from "../model.js";
import { ContentTypeNotSupportedError } from "../../errors.js";

/**
 * Checks the media types of messages against the agent card. Caches the media types of the last
 * card, because most agents have only one card.
 */
export class InputModes {
  #card: AgentCard | undefined;
  #types = new Set<string>();
  #kinds = new Set<string>();

  /**
   * Throws a `ContentTypeNotSupportedError` if a part of a message has a media type that neither
   * the agent nor its skills accept; parts without a known media type are accepted. Callers choose
   * the number of parts, so checking a part must not take longer than a look-up in a set.
   */
  check({ parts }: Message, card: AgentCard): void {
    if (card !== this.#card) this.#read(card);
    let accepted: string | undefined;
    for (const { mediaType, text, data } of parts) {
      const mode =
        mediaType === undefined || mediaType === "" ? impliedType(text, data) : mediaType;
      if (mode === undefined || mode === accepted) continue;
      const type = essence(mode);
      if (!this.#include(type)) throw notAccepted(type, card);
      accepted = mode;
    }
  }

  /**
   * Returns whether the card's modes include a media type without parameters, by its name or by a
   * wildcard such as `text/*`, `text` or `*`.
   */
  #include(type: string): boolean {
    if (this.#types.has(type) || this.#types.has("*/*") || this.#types.has("*")) return true;
    const slash = type.indexOf("/");
    return slash > 0 && this.#kinds.has(type.slice(0, slash));
  }

  #read(card: AgentCard): void {
    const modes = [...card.defaultInputModes];
    for (const { inputModes = [] } of card.skills) for (const mode of inputModes) modes.push(mode);
    this.#types = new Set(modes.map(essence));
    this.#kinds = new Set();
    for (const type of this.#types) {
      const [kind = "", subtype = "*"] = type.split("/");
      if (subtype === "*") this.#kinds.add(kind);
    }
    this.#card = card;
  }
}

/** Maximum length of a media type in an error message. */
const maxShown = 100;

function notAccepted(type: string, { defaultInputModes }: AgentCard): ContentTypeNotSupportedError {
  const mediaType = type.slice(0, maxShown);
  return new ContentTypeNotSupportedError(
    `The agent does not accept ${mediaType}: send one of ${defaultInputModes.join(", ")}`,
    {
      metadata: { mediaType },
    },
  );
}

function impliedType(text: Part["text"], data: Part["data"]): string | undefined {
  if (text !== undefined) return "text/plain";
  return data === undefined ? undefined : "application/json";
}

/** Returns a media type without its parameters, in lower case. */
function essence(mediaType: string): string {
  const end = mediaType.indexOf(";");
  return (end < 0 ? mediaType : mediaType.slice(0, end)).trim().toLowerCase();
}
