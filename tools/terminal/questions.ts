import { createInterface } from "node:readline/promises";
import type { InputError } from "../../support/diagnostics.js";
import { printError } from "./output.js";

/** Input and output of the questions. */
export interface Prompt {
  /** Asks a question and returns the answer. */
  readonly question: (text: string) => Promise<string>;
  /** Called with the error of an invalid answer, before the question is asked again. */
  readonly refuse: (error: InputError) => void;
}

/** Asks a question that is answered by yes or no. The default is no. */
export async function confirm(
  { question }: Pick<Prompt, "question">,
  text: string,
): Promise<boolean> {
  return /^y(?:es)?$/i.test((await question(`${text} (y/N) `)).trim());
}

/** Asks questions on the terminal. Throws `interrupted` if the user ends the input. */
export async function withPrompt<Answer>(
  ask: (prompt: Prompt) => Promise<Answer>,
  interrupted: InputError,
): Promise<Answer> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await ask({
      question: (text) => terminal.question(text),
      refuse: (error) => void printError(error, false),
    });
  } catch (error) {
    throw error instanceof Error && error.name === "AbortError" ? interrupted : error;
  } finally {
    terminal.close();
  }
}
