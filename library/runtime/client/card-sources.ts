/** Source of a card. */
interface Source {
  /** The received card. */
  readonly body: unknown;
  /** The URL that was requested, before any redirects. */
  readonly asked: string;
  /** The URL of the card, after all redirects. */
  readonly url: string;
}

const sources = /* @__PURE__ */ new WeakMap<object, Source>();

/** Stores the source of a card. */
export function setSource(card: object, source: Source): void {
  sources.set(card, source);
}

/**
 * Returns the received form of a card that `discover` has returned. The received form may
 * contain unknown members.
 */
export function receivedCard(card: object): unknown {
  return sources.get(card)?.body;
}

/**
 * Returns the URL from which `discover` has fetched a card, or `undefined` for any other
 * card.
 */
export function foundAt(card: object): string | undefined {
  return sources.get(card)?.url;
}

/**
 * Returns the origins that may receive a client's headers: the origin of a URL, or the origin from
 * which a card was requested, and `others`. If the card has another source and `others` is absent,
 * returns `undefined`, which means any origin.
 */
export function originsFor(
  target: string | URL | object,
  others?: readonly string[],
): readonly string[] | undefined {
  const asked =
    typeof target === "string" || target instanceof URL
      ? String(target)
      : sources.get(target)?.asked;
  return asked === undefined ? others : [asked, ...(others ?? [])];
}
