/** What can have a name of an earlier version. */
export const legacyKinds = ["types", "properties", "keys", "values", "methods", "errors"] as const;

/** One of {@link legacyKinds}. */
export type LegacyKind = (typeof legacyKinds)[number];

/** A name of an earlier version. */
export interface LegacyDef {
  readonly kind: LegacyKind;
  /**
   * The old name; of properties, keys and values with that of their type: `Task.sessionId`. Properties of a nested object
   * have the path to them: `Part.file.uri`.
   */
  readonly old: string;
  /** What the type of a property, key or value is called now, where the old name has it under an earlier one. */
  readonly type?: string;
  readonly now: string;
  /** The version that has the new name first. */
  readonly since: string;
  /** The version that may remove the old name at the earliest. */
  readonly until: string;
  /** What else differs, for people who move on. */
  readonly note?: string;
  /**
   * How a server that reads old names makes the present value of a property: takes it over, negates it, or takes the one
   * element of a list. Without it the server refuses the property.
   */
  readonly value?: "same" | "opposite" | "only";
  /** The members of the params of a method that have other names now, where the method tells that they are old. */
  readonly params?: Readonly<Record<string, string>>;
  /** `false` for a method whose old params do not say what the present ones need. */
  readonly served?: boolean;
}

/** Names of earlier versions that this one has nothing in place of. */
export interface RemovedDef {
  readonly kind: LegacyKind;
  /** The name; `*` in it stands for any text. Members of a removed type are removed with it. */
  readonly old: string;
  /** The first version without it. */
  readonly since: string;
  /** Why, and what to do instead. */
  readonly note: string;
}
