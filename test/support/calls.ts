import type { Call } from "../../library/runtime/protocol/transport.js";
import { EmptySchema } from "../../library/runtime/schema/message.js";

/** Returns a call of a client. */
export function aCall(name: string, headers: Readonly<Record<string, string>> = {}): Call {
  const operation = { name, streaming: "none", response: EmptySchema } as const;
  return { name, operation, request: {}, headers, signal: undefined };
}
