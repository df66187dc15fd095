/** Mutants that other rules notice, too, by rule, with the reason why they must. */
interface Together {
  readonly because: string;
  readonly mutants: Readonly<Record<string, readonly string[]>>;
}

const sendType = ["send-type"];
const pushCreated = ["push-create", "push-create-id", "push-create-url", "push-create-task"];

/** All mutants that more than one rule notices. */
export const together: readonly Together[] = [
  {
    because:
      "the rule is part of the type of the card or of the response, which another rule checks as a whole",
    mutants: {
      "task-camel-case": sendType,
      "message-parts": sendType,
      "list-page-token": ["list-type", "list-last-page"],
      "list-last-page": ["list-type", "list-page-token"],
    },
  },
  {
    because: "a response without the required members has nothing that the other rules could find",
    mutants: {
      "task-state": [...sendType, "send-blocks"],
      "list-type": ["list-total"],
      "push-create": pushCreated.slice(1),
    },
  },
  {
    because: "the rules read parts of the same error",
    mutants: {
      "error-detail-type": ["error-info", "error-domain"],
      "extension-required": ["error-info"],
      "http-not-found": ["get-unknown", "http-error-code"],
      "http-error-object": [
        "get-unknown",
        "error-message",
        "error-details",
        "http-error-code",
        "http-error-status",
      ],
    },
  },
  {
    because: "the rules send the same request, or requests that only differ in an id",
    mutants: {
      "http-malformed": ["send-no-message"],
      "cancel-ended": ["cancel-result"],
      "cancel-result": ["cancel-ended"],
      "list-empty": ["list-context"],
      "list-context": ["list-empty"],
      "push-delete": ["push-delete-twice"],
      "push-delete-twice": ["push-delete"],
    },
  },
  {
    because: "later requests contain the changed value",
    mutants: {
      "task-id": [
        "send-ended-task",
        "send-other-context",
        "cancel-ended",
        "subscribe-ended",
        "list-context",
        ...pushCreated,
      ],
      "task-id-new": [
        "send-ended-task",
        "cancel-ended",
        "subscribe-ended",
        "list-context",
        ...pushCreated,
      ],
      "push-create-id": ["push-get", "push-list"],
    },
  },
  {
    because: "another rule compares the response with a second response, which is not changed",
    mutants: {
      "task-context": ["get-same", "list-context"],
      "task-history": ["get-type", "task-history-message", "history-latest"],
      "task-history-message": ["history-latest"],
      "history-one": ["history-latest"],
      "history-latest": ["task-history-message"],
      "artifact-id": ["get-artifacts", "list-artifacts"],
      "artifact-parts": [...sendType, "get-artifacts", "list-artifacts"],
      "part-content": [...sendType, "get-artifacts", "list-artifacts"],
      "get-state": ["stream-state-kept"],
      "get-artifacts": ["stream-artifacts"],
      "stream-state-kept": ["get-state"],
      "stream-last-chunk": ["stream-artifacts"],
    },
  },
  {
    because: "a changed order or kind of events breaks all rules on the course of a stream",
    mutants: {
      "stream-json": ["stream-envelope"],
      "stream-kind": ["stream-envelope", "stream-task", "stream-context", "stream-after-end"],
      "stream-type": ["stream-end", "stream-state-kept"],
      "stream-message-alone": [
        "stream-envelope",
        "stream-task",
        "stream-context",
        "stream-after-end",
      ],
      "stream-end": ["stream-state-kept"],
      "stream-order": ["stream-end", "stream-after-end", "stream-state-kept"],
    },
  },
];
