/** Returns a shallow copy of an object. */
export function copyOf<T extends object>(value: T): T {
  // A member of this name would become the prototype.
  return Object.hasOwn(value, "__proto__") ? { ...value } : Object.assign({}, value);
}

/**
 * Returns a shallow copy of an object with more members. In V8, objects that are made by spreading and then get members
 * have a hidden class each: to make one takes ten times as long, and whatever reads it gets slow.
 */
export function extended<T extends object, const M extends object>(value: T, members: M): Omit<T, keyof M> & M {
  return Object.assign(copyOf(value), members);
}
