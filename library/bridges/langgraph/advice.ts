import { memberOf } from "../reading.js";

/** Replaces errors of LangGraph that do not say what the author of an agent can do. */
export async function* withAdvice<Update, End>(
  updates: AsyncGenerator<Update, End, undefined>,
): AsyncGenerator<Update, End, undefined> {
  try {
    return yield* updates;
  } catch (cause) {
    if (memberOf(cause, "lc_error_code") !== "MISSING_CHECKPOINTER") throw cause;
    throw new Error(
      "The graph asks a question, but cannot wait for the answer: compile it with `kitSaver()` as " +
        "its `checkpointer`",
      { cause },
    );
  }
}
