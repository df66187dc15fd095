import type { OperationDef } from "./types.js";

type Streaming = Pick<OperationDef, "streaming">;

/** Returns whether an operation has a stream of requests. */
export function streamsRequests({ streaming }: Streaming): boolean {
  return streaming === "client" || streaming === "both";
}

/** Returns whether an operation has a stream of responses. */
export function streamsResponses({ streaming }: Streaming): boolean {
  return streaming === "server" || streaming === "both";
}
