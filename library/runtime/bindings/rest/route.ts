/** A variable of a path template, with the range of its segments. */
interface Variable {
  readonly field: string;
  readonly start: number;
  readonly end: number;
}

/** A parsed path template of `google.api.http`. */
interface Template {
  /** Literals, `*` for one segment, or `**` for any number of segments. */
  readonly segments: readonly string[];
  readonly variables: readonly Variable[];
  /** The word after the last colon. */
  readonly suffix: string | undefined;
  /** The index of `**`, or -1. */
  readonly open: number;
}

function compile(path: string): Template {
  const colon = path.lastIndexOf(":");
  const suffixed = colon > path.lastIndexOf("/") && colon > path.lastIndexOf("}");
  const segments: string[] = [];
  const variables: Variable[] = [];
  const main = suffixed ? path.slice(0, colon) : path;
  const pieces = main.matchAll(/\/(?:\{([^{}=]+)(?:=([^{}]+))?\}|([^/{}]*))/g);
  for (const [, field = "", pattern = "*", literal = ""] of pieces) {
    if (field === "") {
      segments.push(literal);
      continue;
    }
    const start = segments.length;
    segments.push(...pattern.split("/"));
    variables.push({ field, start, end: segments.length });
  }
  const suffix = suffixed ? path.slice(colon + 1) : undefined;
  return { segments, variables, suffix, open: segments.indexOf("**") };
}

/**
 * Returns a path template without the names of its variables. Templates with equal shapes match the
 * same paths.
 */
export function routeShape(path: string): string {
  const { segments, suffix } = compile(path);
  return segments.join("/") + (suffix === undefined ? "" : `:${suffix}`);
}

/** A variable of a path template. */
const variable = /\{([^{}=]+)(?:=([^{}]+))?\}/g;

/** Returns the paths of the fields in a path template, such as `["tenant", "id"]`. */
export function routeFields(path: string): readonly string[] {
  return Array.from(path.matchAll(variable), ([, field = ""]) => field);
}

/**
 * Fills in a path template. `value` returns a field as a string by its path, or `undefined` if the
 * field is absent. Returns `undefined` if the template cannot represent the request, because a
 * field is missing or empty, does not match the template, or is `.` or `..`, which every URL parser
 * would remove.
 */
export function expandRoute(
  path: string,
  value: (fieldPath: string) => string | undefined,
): string | undefined {
  let misfits = 0;
  const filled = path.replace(variable, (_, field: string, pattern: string = "*") => {
    const text = fill(pattern.split("/"), value(field) ?? "");
    if (text === undefined) misfits += 1;
    return text ?? "";
  });
  return misfits === 0 ? filled : undefined;
}

/** Encodes the segments of a value if they match the pattern of its variable. */
function fill(pattern: readonly string[], text: string): string | undefined {
  // The slashes in the value of a single segment are escaped.
  const isSingle = pattern.length === 1 && pattern[0] === "*";
  const parts = isSingle ? [text] : text.split("/");
  const isOpen = pattern.at(-1) === "**";
  const hasFittingLength =
    parts.length === pattern.length || (isOpen && parts.length > pattern.length);
  const isFitting = (part: string, index: number): boolean => {
    const expected = pattern[Math.min(index, pattern.length - 1)] ?? "";
    if (!expected.startsWith("*")) return part === expected;
    return part !== "" && part !== "." && part !== "..";
  };
  if (!hasFittingLength || !parts.every(isFitting) || !isWellFormed(text)) return undefined;
  return parts.map(encodeURIComponent).join("/");
}

/** Returns whether a string can be encoded in UTF-8, which is not possible for a lone surrogate. */
function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** A route of a {@link Router}. */
export interface Route<T> {
  readonly method: string;
  /** The path template. */
  readonly path: string;
  /** The value that belongs to the route. */
  readonly target: T;
}

/**
 * Result of a {@link Router}: a route and its variables, or the HTTP methods that the path
 * supports, with the most specific route of another method.
 */
export type RouteMatch<T> =
  | { readonly target: T; readonly variables: readonly RouteVariable[]; readonly allow?: undefined }
  | { readonly target?: undefined; readonly allow: readonly string[]; readonly other: T };

/** The path of a field and its decoded value. */
export type RouteVariable = readonly [field: string, value: string];

interface Entry<T> extends Template {
  readonly route: Route<T>;
}

/**
 * Finds routes by HTTP method and path. From left to right, literal segments take precedence over
 * variables. If a path ends with the `:suffix` of a route, only routes with this suffix match, even
 * if their HTTP method does not match.
 */
export class Router<T> {
  readonly #entries: readonly Entry<T>[];
  /**
   * The routes without variables, by path and then by HTTP method. They are the most specific
   * routes of their paths.
   */
  readonly #literal = new Map<string, Map<string, RouteMatch<T>>>();

  constructor(routes: Iterable<Route<T>>) {
    const entries = Array.from(routes, (route): Entry<T> => ({ ...compile(route.path), route }));
    this.#entries = entries.sort(bySpecificity);
    for (const { route, segments } of entries) {
      if (segments.some((segment) => rank(segment) > 0)) continue;
      const methods = this.#literal.get(route.path) ?? new Map<string, RouteMatch<T>>();
      if (!methods.has(route.method))
        methods.set(route.method, { target: route.target, variables: [] });
      this.#literal.set(route.path, methods);
    }
  }

  /**
   * Returns the route for an HTTP method and a path without its query, or the HTTP methods that the
   * path supports. Returns `undefined` if no route matches the path.
   */
  match(method: string, pathname: string): RouteMatch<T> | undefined {
    const literal = this.#literal.get(pathname)?.get(method);
    if (literal !== undefined) return literal;
    if (!pathname.startsWith("/")) return undefined;
    const parts = pathname.slice(1).split("/");
    const allow: string[] = [];
    let suffix: string | undefined;
    let other: Route<T> | undefined;
    for (const entry of this.#entries) {
      if (suffix !== undefined && entry.suffix !== suffix) continue;
      const variables = fits(entry, parts) ? read(entry, parts) : undefined;
      if (variables === undefined) continue;
      if (entry.route.method === method) return { target: entry.route.target, variables };
      // Only routes with this suffix match after this point, so that `/tasks/1:cancel` does not
      // refer to a task with the id `1:cancel`.
      suffix ??= entry.suffix;
      other ??= entry.route;
      if (!allow.includes(entry.route.method)) allow.push(entry.route.method);
    }
    return other && { allow, other: other.target };
  }
}

function fits({ segments, suffix, open }: Template, parts: readonly string[]): boolean {
  const isOpen = open >= 0;
  const extra = parts.length - segments.length;
  // `**` may also stand for no segment.
  const hasFittingLength = isOpen ? extra >= -1 : extra === 0;
  if (!hasFittingLength) return false;
  const last = parts.length - 1;
  for (const [index, segment] of segments.entries()) {
    if (index === open) continue;
    const at = isOpen && index > open ? index + extra : index;
    const part = at === last ? withoutSuffix(parts[at], suffix) : parts[at];
    const isFitting = segment === "*" ? part !== "" : part === segment;
    if (part === undefined || !isFitting) return false;
  }
  // The last part of `**` has not been checked for the suffix.
  return !isOpen || suffix === undefined || withoutSuffix(parts[last], suffix) !== undefined;
}

/**
 * Removes the suffix from the last segment. Returns `undefined` if the segment does not end with
 * the suffix.
 */
function withoutSuffix(part: string | undefined, suffix: string | undefined): string | undefined {
  if (suffix === undefined || part === undefined) return part;
  const colon = part.length - suffix.length - 1;
  return part.endsWith(suffix) && part.charAt(colon) === ":" ? part.slice(0, colon) : undefined;
}

/** Reads the variables of a matching path. Returns `undefined` if a percent escape is invalid. */
function read(
  { segments, variables, suffix, open }: Template,
  parts: readonly string[],
): RouteVariable[] | undefined {
  const extra = parts.length - segments.length;
  const position = (index: number): number => (open >= 0 && index > open ? index + extra : index);
  const result: RouteVariable[] = [];
  for (const { field, start, end } of variables) {
    const range = parts.slice(position(start), position(end));
    const isAtEnd = position(end) === parts.length;
    if (isAtEnd) range.push(withoutSuffix(range.pop(), suffix) ?? "");
    const isSingle = end - start === 1 && open !== start;
    const value = decode(range.join("/"), isSingle);
    if (value === undefined) return undefined;
    result.push([field, value]);
  }
  return result;
}

/**
 * Decodes a value. If a value has several segments, an escaped slash stays escaped, so that it does
 * not become a separator.
 */
function decode(text: string, isSingle: boolean): string | undefined {
  if (!text.includes("%")) return text;
  const escaped = isSingle ? text : text.replace(/%2f/gi, (slash) => `%25${slash.slice(1)}`);
  try {
    return decodeURIComponent(escaped);
  } catch {
    return undefined;
  }
}

/** Compares templates, so that the first match in a sorted list is the most specific match. */
function bySpecificity(a: Template, b: Template): number {
  for (let index = 0; index < Math.max(a.segments.length, b.segments.length); index++) {
    const difference = rank(a.segments[index]) - rank(b.segments[index]);
    if (difference !== 0) return difference;
  }
  return Number(a.suffix === undefined) - Number(b.suffix === undefined);
}

function rank(segment: string | undefined): number {
  if (segment === "**") return 2;
  return segment === "*" || segment === undefined ? 1 : 0;
}
