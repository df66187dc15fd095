import type { CallHeaders, Peer } from "../protocol/headers.js";
import {
  type Arrived,
  basePath,
  notFound,
  type HttpHandler,
  type HttpRequest,
  type RequestWatch,
  splitTarget,
} from "./server.js";

/**
 * Combines handlers that respond below different paths, such as `/billing`. The path is removed
 * from the URL of a request before a handler receives it. If several paths match, the longest path
 * is used. For requests that are not below any path, the combined handler returns `undefined`, or,
 * if no other handler follows, status 404 with the paths in `listed`. Throws a `TypeError` if a path
 * is invalid or occurs twice.
 */
export function mounted(
  handlers: Readonly<Record<string, HttpHandler>>,
  listed: readonly string[] = [],
): HttpHandler {
  const byPath = new Map<string, HttpHandler>();
  for (const [path, handler] of Object.entries(handlers)) {
    if (!path.startsWith("/") || /[?#]/.test(path))
      throw new TypeError(
        'The path of an agent must begin with "/" and contain no query, got ' +
          JSON.stringify(path),
      );
    const base = basePath(path);
    if (byPath.has(base))
      throw new TypeError(`The path ${JSON.stringify(path)} belongs to two agents: remove one`);
    byPath.set(base, handler);
  }
  if (byPath.size === 0) throw new TypeError("A handler requires at least one agent, by its path");
  const most = [...byPath.keys()].reduce(
    (max, path) => Math.max(max, path.split("/").length - 1),
    0,
  );
  return (request) => {
    const { path, query } = splitTarget(request.url);
    // Only try as many segments as the longest path has, because a caller can send any number of
    // segments.
    for (let end = endOf(path, most); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const handler = byPath.get(path.slice(0, end));
      if (handler === undefined) continue;
      const rest = path.slice(end) || "/";
      return handler(new MountedRequest(request, query === "" ? rest : `${rest}?${query}`));
    }
    const root = byPath.get("");
    if (root !== undefined) return root(request);
    return Promise.resolve(request.isLast === true ? notFound(found(listed)) : undefined);
  };
}

/** Maximum number of paths in a response. */
const maxListed = 10;

/** Returns the text that lists paths, for users who have called the root of the server. */
function found(paths: readonly string[]): string {
  if (paths.length === 0) return "";
  const more = paths.length > maxListed ? ", …" : "";
  return `: agents are at ${paths.slice(0, maxListed).join(", ")}${more}`;
}

/** Returns the length of the first segments of a path. */
function endOf(path: string, segments: number): number {
  let end = 0;
  for (let count = 0; count < segments; count += 1) {
    end = path.indexOf("/", end + 1);
    if (end < 0) return path.length;
  }
  return end;
}

/** A request below the path of a handler. */
class MountedRequest implements HttpRequest {
  readonly url: string;
  declare watch?: RequestWatch;
  readonly #request: HttpRequest;

  constructor(request: HttpRequest, url: string) {
    this.#request = request;
    this.url = url;
  }

  get method(): string {
    return this.#request.method;
  }

  get headers(): CallHeaders {
    return this.#request.headers;
  }

  get peer(): Peer | undefined {
    return this.#request.peer;
  }

  get parsedBody(): unknown {
    return this.#request.parsedBody;
  }

  get isLast(): boolean {
    return this.#request.isLast === true;
  }

  readBody(maxBytes: number, arrived?: Arrived): Promise<string> {
    return this.#request.readBody(maxBytes, arrived);
  }

  onClose(listener: () => void): void {
    this.#request.onClose(listener);
  }
}
