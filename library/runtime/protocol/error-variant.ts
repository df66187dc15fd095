import type { ErrorClass, ErrorRow } from "./error.js";

/** Returns a class whose errors have another JSON-RPC code or default message. */
export function variantOf(
  Base: ErrorClass,
  difference: Pick<ErrorRow, "jsonRpc" | "message">,
): ErrorClass {
  return class extends Base {
    static override readonly row: ErrorRow = { ...Base.row, ...difference };
  };
}
