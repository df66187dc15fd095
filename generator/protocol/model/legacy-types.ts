import type { Location } from "../../support/diagnostics.js";

/** The kinds of things that can have an old name. */
export const legacyKinds = ["types", "properties", "keys", "values", "methods", "errors"] as const;

/** One of {@link legacyKinds}. */
export type LegacyKind = (typeof legacyKinds)[number];

/** A name of an earlier version that has a new name. */
export interface LegacyDef {
  readonly kind: LegacyKind;
  /**
   * The old name. Properties, keys and values have the name of their type before it: `Task.sessionId`. Properties of a
   * nested object have their path: `Part.file.uri`.
   */
  readonly old: string;
  /** The new name of the type of a property, key or value, if the old name has an earlier one. */
  readonly type?: string;
  readonly now: string;
  /** The first version with the new name. */
  readonly since: string;
  /** The earliest version that may remove the old name. */
  readonly until: string;
  /** Other differences, for users who upgrade. */
  readonly note?: string;
  /**
   * How a server that accepts old names converts the value of a property: not at all, by negating it, or by taking the
   * only element of a list. Without it, the server refuses the property.
   */
  readonly value?: "same" | "opposite" | "only";
  /** The members of the params of a method that are renamed, by old name; only for requests that use the old method. */
  readonly params?: Readonly<Record<string, string>>;
  /** `false` for a method whose old params lack what the new ones need. */
  readonly served?: boolean;
}

/** What old names do not say about the way from values of earlier versions to those of this one, and back. */
export interface VersionHints {
  /** The property of earlier versions that is true in the last event of a stream: `Event.final`. */
  readonly last?: string;
  /**
   * Properties that earlier versions have where this one has the type, and not the property. Those that no type of this
   * version has any longer are among its removed names.
   */
  readonly lost?: readonly string[];
  /**
   * Properties of this version, `Part.data`, that were objects: what is none was the member `as` of one, and `flag`, a
   * path in the object around it, was true then.
   */
  readonly wrapped?: Readonly<Record<string, { readonly as: string; readonly flag: string }>>;
  /**
   * What stands for the properties that this version requires, `Message.messageId`, where an earlier one has nothing of
   * the kind. `{uuid}` is a new id each time.
   */
  readonly fill?: Readonly<Record<string, unknown>>;
  /** Where each hint is, as `fill.Message.messageId`; by an empty key, where others would be. */
  readonly locations?: Readonly<Record<string, Location>>;
}

/** A name of an earlier version, or a pattern of names, without a successor. */
export interface RemovedDef {
  readonly kind: LegacyKind;
  /** The name; `*` matches any characters but a dot. Members of a removed type are removed with it. */
  readonly old: string;
  /** The first version without it. */
  readonly since: string;
  /** The reason, and what to use instead. */
  readonly note: string;
}
