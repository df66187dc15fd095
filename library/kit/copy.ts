/** Returns a shallow copy of an object. */
export function copyOf<T extends object>(value: T): T {
  // Assigning a member named `__proto__` would set the prototype; spreading copies it as a plain
  // property.
  return Object.hasOwn(value, "__proto__") ? { ...value } : Object.assign({}, value);
}

/**
 * Returns a shallow copy of an object with additional members. In V8, adding members to an object
 * that was created by spreading gives each object its own hidden class: creation takes ten times as
 * long, and all code that reads the object becomes slow.
 */
export function extended<T extends object, const M extends object>(
  value: T,
  members: M,
): Omit<T, keyof M> & M {
  return Object.assign(copyOf(value), members);
}
