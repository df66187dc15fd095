import { createInterface } from "node:readline";
import { usage } from "./errors.js";
import type { Environment } from "./settings.js";

/** Input of a chat: lines from a terminal or from a pipe. */
export interface ChatInput {
  readonly lines: AsyncIterable<string>;
  /** Whether a user types the lines. */
  readonly isTerminal: boolean;
  /** Displays a prompt on a terminal. */
  readonly prompt: (text: string) => void;
  readonly close: () => void;
}

/**
 * Opens the input of a chat. `onInterrupt` is called for Ctrl-C on a terminal, which is not a
 * signal of the process while the terminal passes on each key.
 */
export function chatInput(
  { stdin = process.stdin, signal }: Pick<Environment, "stdin" | "signal">,
  onInterrupt: () => void,
): ChatInput {
  const isTerminal = "isTTY" in stdin && stdin.isTTY === true;
  const { stdout } = process;
  // A program that reads the output cannot answer a prompt.
  if (isTerminal && !stdout.isTTY)
    throw usage(
      "chat cannot read a terminal if its output is not a terminal",
      'Pipe the messages: echo "Hello" | a2a chat',
    );
  const editing = isTerminal
    ? { output: stdout, terminal: true, removeHistoryDuplicates: true }
    : { terminal: false };
  const reader = createInterface({ input: stdin, signal, crlfDelay: Infinity, ...editing });
  reader.on("SIGINT", onInterrupt);
  let isClosed = false;
  reader.once("close", () => (isClosed = true));
  return {
    lines: reader,
    isTerminal,
    prompt(text) {
      if (!isTerminal || isClosed) return;
      reader.setPrompt(text);
      // Keeps what the user has typed while the agent responded.
      reader.prompt(true);
    },
    close: () => reader.close(),
  };
}
