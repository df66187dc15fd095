import type { OperationDef } from "./types.js";

type Streaming = Pick<OperationDef, "streaming">;

/** Tells whether an operation takes any number of requests. */
export function streamsRequests({ streaming }: Streaming): boolean {
  return streaming === "client" || streaming === "both";
}

/** Tells whether an operation gives any number of responses. */
export function streamsResponses({ streaming }: Streaming): boolean {
  return streaming === "server" || streaming === "both";
}
