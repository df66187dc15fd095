import { InvalidParamsError } from "../../generated/1.0/index.js";

/** The error for a parameter that the protocol does not allow; `field` is the path of the parameter in the request. */
export function invalid(field: string, description: string): InvalidParamsError {
  const violation = { field, description };
  const badRequest = { "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: [violation] };
  return new InvalidParamsError(`${field} ${description}`, { details: [badRequest] });
}

/** What a request says about paging. */
export interface PageRequest {
  readonly pageSize?: number;
  readonly pageToken?: string;
}

/** One page, and the token of the next one; the token is empty on the last page. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextPageToken: string;
}

const maxPageSize = 100;
const defaultPageSize = 50;

/** Returns the size that a page has to have. Throws an `InvalidParamsError` for one that is not from 1 to 100. */
export function pageSizeOf({ pageSize = defaultPageSize }: PageRequest): number {
  if (pageSize < 1 || pageSize > maxPageSize) throw invalid("pageSize", `must be from 1 to ${maxPageSize}`);
  return pageSize;
}

/**
 * Cuts a page out of `items`, which are in descending order of their `key`. The token holds the key of the last item of
 * the page before, so that items that come and go between two pages do not shift the others. Throws an
 * `InvalidParamsError` where the size or the token is not valid.
 */
export function page<Item>(items: readonly Item[], key: (item: Item) => string, request: PageRequest): Page<Item> {
  const size = pageSizeOf(request);
  const after = request.pageToken ? decode(request.pageToken) : undefined;
  const rest = after === undefined ? items : items.filter((item) => key(item) < after);
  const shown = rest.slice(0, size);
  const last = shown.at(-1);
  return { items: shown, nextPageToken: last !== undefined && rest.length > size ? encode(key(last)) : "" };
}

function encode(key: string): string {
  return Buffer.from(`after ${key}`).toString("base64url");
}

function decode(token: string): string {
  const text = Buffer.from(token, "base64url").toString();
  if (!text.startsWith("after ") || encode(text.slice(6)) !== token) throw invalid("pageToken", "is not one of ours");
  return text.slice(6);
}
