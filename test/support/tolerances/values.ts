import { resulted } from "./peers.js";
import type { ToleranceRow } from "./row.js";

const naive = "2025-06-01T10:20:30.123456";

/** A task of 0.3 with the time of its status. */
const timed = (timestamp: string) => ({
  kind: "task",
  id: "t",
  contextId: "c",
  status: { state: "completed", timestamp },
});

/** A task of 1.0 with the time of its status. */
const timedNow = (timestamp: string) => ({
  id: "t",
  contextId: "c",
  status: { state: "TASK_STATE_COMPLETED", timestamp },
});

/** Tolerances for the values in messages and tasks. */
export const valueTolerances: readonly ToleranceRow[] = [
  {
    id: "times without a zone",
    accepts: "A time without a zone is read as UTC.",
    peers: ["ADK for Python before 1.5", "Java SDK before 0.3", "examples in the text of 0.2.1 to 0.3.0"],
    section: "1.0 section 5.6.1: times are in UTC and end in Z",
    versions: ["0.2", "0.3", "1.0"],
    responses: {
      "a task of 0.3": {
        form: resulted("1.0 through 0.3", "sendMessage", timed(naive)),
        reading: { task: timedNow(`${naive}Z`) },
        neighbours: {
          "a day that does not exist": resulted("1.0 through 0.3", "sendMessage", timed("2025-02-30T10:20:30")),
          "a date": resulted("1.0 through 0.3", "sendMessage", timed("2025-06-01")),
          "a zone that does not exist": resulted("1.0 through 0.3", "sendMessage", timed(`${naive}+99:00`)),
        },
      },
      "a task of 1.0": {
        form: resulted("1.0", "getTask", timedNow(naive)),
        reading: timedNow(`${naive}Z`),
        neighbours: { "a time with two zones": resulted("1.0", "getTask", timedNow(`${naive}Z+00:00`)) },
      },
    },
  },
];
