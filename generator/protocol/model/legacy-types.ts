import type { Location } from "../../../support/diagnostics.js";

/** The kinds of elements that can have an old name. */
export const legacyKinds = ["types", "properties", "keys", "values", "methods", "errors"] as const;

/** One of {@link legacyKinds}. */
export type LegacyKind = (typeof legacyKinds)[number];

/** An old name: a name of an earlier version for an element that has a new name. */
export interface LegacyDef {
  readonly kind: LegacyKind;
  /**
   * The old name. The name of a property, key or value begins with the name of its type:
   * `Task.sessionId`. A property of a nested object has a path: `Part.file.uri`.
   */
  readonly old: string;
  /**
   * The new name of the type of a property, key or value, if the type in the old name has been
   * renamed.
   */
  readonly type?: string;
  readonly now: string;
  /** The first version with the new name. */
  readonly since: string;
  /** Other differences, for users who upgrade. */
  readonly note?: string;
  /**
   * Form in which a server that accepts old names passes on the value of a property: unchanged,
   * negated, or as the only element of a list. If the form is absent, the server rejects the
   * property.
   */
  readonly value?: "same" | "opposite" | "only";
  /**
   * The renamed members of a method's params, by old name; only for requests that use the old
   * method.
   */
  readonly params?: Readonly<Record<string, string>>;
  /** `false` for a method whose old params do not contain all data that the new params require. */
  readonly served?: boolean;
}

/**
 * Information for converting values between earlier versions and this version, in addition to the
 * old names.
 */
export interface VersionHints {
  /** The property of this version that is true in the last event of a stream: `Event.final`. */
  readonly last?: string;
  /**
   * Properties that a type has in earlier versions but not in this version. Properties whose type
   * no longer exists are listed among the removed names.
   */
  readonly lost?: readonly string[];
  /**
   * Properties of this version, such as `Part.data`, that were objects in earlier versions. If a
   * value was not an object, the earlier version stored it in the member `as` of an object, and set
   * the flag at the path `flag` in the surrounding object.
   */
  readonly wrapped?: Readonly<Record<string, { readonly as: string; readonly flag: string }>>;
  /**
   * Values for properties that this version requires but an earlier version does not have, such as
   * `Message.messageId`. `{uuid}` is a new id for each value.
   */
  readonly fill?: Readonly<Record<string, unknown>>;
  /**
   * The location of each hint, by a path such as `fill.Message.messageId`. The empty path contains
   * the location for missing hints.
   */
  readonly locations?: Readonly<Record<string, Location>>;
}

/** A name of an earlier version, or a pattern of names, without a successor. */
export interface RemovedDef {
  readonly kind: LegacyKind;
  /**
   * The name; `*` matches any characters except a dot. Members of a removed type are removed with
   * the type.
   */
  readonly old: string;
  /** The first version without the name. */
  readonly since: string;
  /** The reason, and a replacement. */
  readonly note: string;
}
