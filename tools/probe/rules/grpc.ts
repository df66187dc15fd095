import { problemUnlessEqual, problemUnless } from "./expect.js";
import type { Rule } from "../rule.js";
import { unknownId } from "../session.js";

const needs = { binding: "GRPC" } as const;

/** Rules for the gRPC binding. */
export const grpcRules: readonly Rule[] = [
  {
    id: "grpc-not-found",
    level: "must",
    section: "5.4",
    earlier: "3.2.3",
    title: "A call for an unknown task fails with the gRPC status NOT_FOUND",
    needs,
    follows: ["get-unknown"],
    check: async (session) =>
      problemUnlessEqual((await session.getUnknownTask()).error?.code, "NOT_FOUND"),
  },
  {
    id: "grpc-cancel-not-found",
    level: "must",
    section: "5.4",
    earlier: "3.2.3",
    title: "CancelTask for an unknown task fails with the gRPC status NOT_FOUND",
    needs,
    follows: ["cancel-unknown"],
    check: async (session) =>
      problemUnlessEqual(
        (await session.call("CancelTask", { id: unknownId })).error?.code,
        "NOT_FOUND",
      ),
  },
  {
    id: "grpc-empty-id",
    level: "must",
    section: "3.3.2",
    title: "GetTask with an empty id fails with the gRPC status INVALID_ARGUMENT",
    needs,
    check: async (session) =>
      problemUnlessEqual(
        (await session.call("GetTask", { id: "" })).error?.code,
        "INVALID_ARGUMENT",
      ),
  },
  {
    id: "grpc-stream-error",
    level: "must",
    section: "5.4",
    earlier: "3.3.2",
    title: "A stream for an unknown task ends with a gRPC status and without events",
    follows: ["subscribe-unknown"],
    needs: { ...needs, capability: "streaming" },
    check: async (session) => {
      const { error, events } = await session.call("SubscribeToTask", { id: unknownId });
      return (
        problemUnless(events === undefined, () => "the stream has events") ??
        problemUnlessEqual(error?.code, "NOT_FOUND")
      );
    },
  },
];
