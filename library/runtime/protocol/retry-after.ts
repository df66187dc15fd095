/**
 * Returns an error with the seconds of a `Retry-After` header, which contains a number or a date.
 * Returns the error unchanged if the header is absent or invalid.
 */
export function addRetryAfter<T>(error: T, text: string | null | undefined): T {
  if (!text || !(error instanceof Error)) return error;
  const seconds = /^\d+$/.test(text)
    ? Number(text)
    : Math.ceil((Date.parse(text) - Date.now()) / 1_000);
  if (Number.isNaN(seconds)) return error;
  return Object.assign(error, { retryAfterSeconds: Math.max(0, seconds) });
}
