/** One of several alternatives for an object. */
export interface Alternative {
  /** The constant that marks the objects of the alternative. */
  readonly constant?: unknown;
  /** Returns whether objects of the alternative may have a member. */
  has(key: string): boolean;
}

/**
 * Returns the alternative for an object without a marker. Members that are unknown to all
 * alternatives are ignored, and exactly one alternative must have all other members. `key` is the
 * member for the marker. Returns `undefined` if several alternatives or none fit, if the object has
 * a marker, or if an unknown member contains the marker of another alternative or, as `type`, any
 * other value.
 */
export function fitting<Each extends Alternative>(
  alternatives: readonly Each[],
  value: Readonly<Record<string, unknown>>,
  key?: string,
): Each | undefined {
  if (key !== undefined && value[key] !== undefined && value[key] !== null) return undefined;
  const present = Object.keys(value).filter((name) => name !== key && value[name] !== undefined);
  const known = present.filter((name) => alternatives.some((each) => each.has(name)));
  const possible = alternatives.filter((each) => known.every((name) => each.has(name)));
  const only = possible.at(0);
  if (only === undefined || possible.length > 1 || known.length === 0) return undefined;
  const { constant } = only;
  const markers = alternatives.flatMap((each) =>
    each.constant === constant ? [] : [each.constant],
  );
  // Early versions name the marker `type`.
  const isOther = (name: string): boolean =>
    markers.includes(value[name]) ||
    (name === "type" && constant !== undefined && value[name] !== constant);
  return present.some((name) => !known.includes(name) && isOther(name)) ? undefined : only;
}
