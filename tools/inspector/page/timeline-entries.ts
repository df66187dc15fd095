/** An entry of a timeline. Consecutive chunks of an artifact are one entry. */
export interface Entry {
  readonly kind: "state" | "progress" | "message" | "artifact" | "webhook" | "call";
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Whether `at` is an upper limit, because the page has only received the result. */
  readonly isEarlier: boolean;
  readonly title: string;
  readonly text: string;
  /** The class that gives the entry its color. */
  readonly tone: string;
  /** Identifies consecutive entries that are joined; an empty string for others. */
  readonly group: string;
  /** Number of events in the entry. */
  count: number;
  /** The noun for the events in the entry. */
  readonly noun: "chunk" | "version" | "request";
  /** Size of the artifact, or of its chunks in the entry. */
  bytes: number;
  /** Time of the last event in the entry. */
  until: number;
}

/** The members of an entry that have no default. */
export type NewEntry = Pick<Entry, "kind" | "at" | "title"> & Partial<Entry>;

/** Maximum number of entries. */
export const maxEntries = 10_000;

const defaults = {
  isEarlier: false,
  text: "",
  tone: "",
  group: "",
  count: 1,
  noun: "chunk",
  bytes: 0,
} as const;

/** The entries of a timeline, in the order of their times. */
export class EntryList {
  readonly all: Entry[] = [];
  /** Number of entries that were deleted because there are too many. */
  deleted = 0;

  /** Adds an entry, or joins it with the entry before it. */
  add(given: NewEntry): void {
    const entry: Entry = { ...defaults, until: given.at, ...given };
    const joined = entry.group === "" ? undefined : this.#lastOf(entry.group);
    if (joined !== undefined) {
      joined.count += 1;
      joined.bytes = entry.noun === "version" ? entry.bytes : joined.bytes + entry.bytes;
      joined.until = entry.at;
      return;
    }
    let index = this.all.length;
    while (index > 0 && (this.all[index - 1]?.at ?? 0) > entry.at) index -= 1;
    this.all.splice(index, 0, entry);
    if (this.all.length <= maxEntries) return;
    this.all.shift();
    this.deleted += 1;
  }

  /** Returns the entry of a group at the end, where chunks and their deliveries alternate. */
  #lastOf(group: string): Entry | undefined {
    for (const entry of this.all.slice(-3).reverse()) {
      if (entry.group === group) return entry;
      if (entry.group === "") return undefined;
    }
    return undefined;
  }
}
