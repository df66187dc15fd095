import protobuf from "protobufjs";

/** A message or enum of a proto. */
export type ProtoType = protobuf.Type | protobuf.Enum;

/**
 * A declaration that refers to types: a field refers to its type, and an rpc refers to its request
 * and response.
 */
export type TypeUser = protobuf.Field | protobuf.Method;

/**
 * Resolves type names like protoc, which looks up the first part of the name in the scope of the
 * declaration, and then in each enclosing scope. The first match must contain the rest of the name.
 * protobufjs also searches inside the siblings of a declaration, and would find types there instead
 * of types in outer scopes.
 */
export class TypeResolver {
  readonly #root: protobuf.Root;
  #loadMore: (() => void) | undefined;

  /**
   * If a name is not found, calls `loadMore`, which may declare more types. `loadMore` is called
   * only once.
   */
  constructor(root: protobuf.Root, loadMore: () => void) {
    this.#root = root;
    this.#loadMore = loadMore;
  }

  /** Returns the message or enum that a name refers to; `undefined` if the name is unknown. */
  find(name: string, user: TypeUser): ProtoType | undefined {
    const found = this.#find(name, user.parent);
    const loadMore = this.#loadMore;
    if (found !== undefined || loadMore === undefined) return found;
    this.#loadMore = undefined;
    loadMore();
    return this.#find(name, user.parent);
  }

  #find(name: string, from: protobuf.ReflectionObject | null): ProtoType | undefined {
    const path = name.split(".");
    const [first = "", ...rest] = path;
    if (first === "") return typeAt(this.#root, rest);
    for (let scope = from; scope !== null; scope = scope.parent) {
      const begin = memberOf(scope, first);
      // Stop at the first match, even if it does not contain the rest of the name.
      if (rest.length > 0 ? begin instanceof protobuf.Namespace : isType(begin))
        return typeAt(scope, path);
    }
    return undefined;
  }
}

function typeAt(scope: protobuf.ReflectionObject, path: readonly string[]): ProtoType | undefined {
  let found: protobuf.ReflectionObject | undefined = scope;
  for (const part of path) found = found && memberOf(found, part);
  return isType(found) ? found : undefined;
}

function memberOf(
  scope: protobuf.ReflectionObject,
  name: string,
): protobuf.ReflectionObject | undefined {
  if (!(scope instanceof protobuf.Namespace)) return undefined;
  const { nested = {} } = scope;
  return Object.hasOwn(nested, name) ? nested[name] : undefined;
}

/** Returns whether an object is a message or enum. */
export function isType(object: protobuf.ReflectionObject | undefined): object is ProtoType {
  return object instanceof protobuf.Type || object instanceof protobuf.Enum;
}
