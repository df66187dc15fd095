import { isObject } from "./findings.js";
import type { Exchange, RecordedRequest, RecordedResponse } from "./record.js";

/** Options for {@link toCurl} and {@link toJson}. */
export interface ExportOptions {
  /** Whether to include credentials. Default: placeholders replace them. */
  readonly credentials?: boolean | undefined;
  /**
   * Names of additional headers and query parameters that contain credentials, such as header names
   * of API keys.
   */
  readonly secrets?: readonly string[] | undefined;
}

/**
 * Headers that contain credentials, in lower case. Other headers are recognized by names that look
 * like a secret.
 */
const secretHeaders = ["authorization", "proxy-authorization", "cookie", "set-cookie"];
const looksSecret =
  /(?:^|[-_])(?:api-?key|key|token|secret|password|auth|signature|session)(?:$|[-_])/i;

/** Returns whether a header or a query parameter contains credentials. */
export function isSecret(name: string, { secrets = [] }: ExportOptions = {}): boolean {
  const lower = name.toLowerCase();
  return (
    secretHeaders.includes(lower) ||
    looksSecret.test(lower) ||
    secrets.some((secret) => secret.toLowerCase() === lower)
  );
}

/**
 * Returns a command line that repeats the request of an exchange. Placeholders replace credentials
 * by default.
 */
export function toCurl({ request, response }: Exchange, options: ExportOptions = {}): string {
  const { method, url, headers, body } = redacted(request, options);
  const isStream =
    response?.events !== undefined || headers["accept"]?.includes("text/event-stream") === true;
  // -N prints events as they arrive.
  const command = isStream ? "curl -sSN" : "curl -sS";
  const methodOption = method === "GET" ? "" : ` -X ${shellWord(method)}`;
  const lines = [
    `${command}${methodOption} ${shellWord(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${shellWord(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-raw ${shellWord(body)}`]),
  ];
  return lines.join(" \\\n  ");
}

/** Returns an exchange as JSON. Placeholders replace credentials by default. */
export function toJson(exchange: Exchange, options: ExportOptions = {}): Record<string, unknown> {
  const { startedAt, request, response, error, durationMs } = exchange;
  return {
    startedAt: new Date(startedAt).toISOString(),
    ...(durationMs !== undefined && { durationMs: Math.round(durationMs) }),
    request: { ...redacted(request, options), body: parsed(request.body, options) },
    ...(response && { response: responseJson(response, options) }),
    ...(error !== undefined && { error }),
  };
}

function responseJson(response: RecordedResponse, options: ExportOptions): object {
  const { status, headMs, headers, body, events, isTruncated } = response;
  const eventsJson = events?.map(({ data, atMs }) => ({
    atMs: Math.round(atMs),
    data: parsed(data, options),
  }));
  return {
    status,
    headMs: Math.round(headMs),
    headers: headersOf(headers, options),
    ...(eventsJson === undefined ? { body: parsed(body, options) } : { events: eventsJson }),
    ...(isTruncated && { isTruncated }),
  };
}

/** Returns a request in which placeholders replace credentials. */
export function redacted(request: RecordedRequest, options: ExportOptions = {}): RecordedRequest {
  if (options.credentials === true) return request;
  const body = request.body === undefined ? undefined : redactedBody(request.body);
  return {
    ...request,
    url: urlOf(request.url, options),
    headers: headersOf(request.headers, options),
    body,
  };
}

/** Returns a body in which placeholders replace the credentials of webhooks. */
export function redactedBody(text: string): string {
  if (!/"(?:token|credentials)"/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), (_key, value: unknown) => withoutSecrets(value));
  } catch {
    // The body is not JSON or is nested too deeply, so it does not configure a webhook.
    return text;
  }
}

/** Replaces the secrets in an object that configures a webhook. */
function withoutSecrets(value: unknown): unknown {
  if (!isObject(value)) return value;
  const isWebhook = typeof value["url"] === "string" && typeof value["token"] === "string";
  const isLogin =
    ("scheme" in value || "schemes" in value) && typeof value["credentials"] === "string";
  return {
    ...value,
    ...(isWebhook && { token: "<token>" }),
    ...(isLogin && { credentials: "<credentials>" }),
  };
}

function headersOf(
  headers: Readonly<Record<string, string>>,
  options: ExportOptions,
): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => {
    if (options.credentials === true || !isSecret(name, options)) return [name, value];
    // Keep the scheme of an `Authorization` header, which is useful and not secret.
    const scheme =
      name.toLowerCase() === "authorization" ? /^[A-Za-z][\w-]* /.exec(value)?.[0] : undefined;
    return [name, `${scheme ?? ""}<${name.toLowerCase()}>`];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

function urlOf(text: string, options: ExportOptions): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  const secrets = [...url.searchParams.keys()].filter((name) => isSecret(name, options));
  const hasUser = url.username !== "" || url.password !== "";
  // `href` may have another spelling, so keep a URL without secrets as it was sent.
  if (secrets.length === 0 && !hasUser) return text;
  for (const name of secrets) url.searchParams.set(name, "secret");
  if (hasUser) [url.username, url.password] = ["user", "password"];
  return url.href;
}

function parsed(body: string | undefined, { credentials }: ExportOptions): unknown {
  if (body === undefined) return undefined;
  const text = credentials === true ? body : redactedBody(body);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns a word for a POSIX shell, in quotes if necessary. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
