import { isGiven } from "../../tools/terminal/arguments.js";
import { printError } from "../../tools/terminal/output.js";
import { readLine, runLine } from "../../tools/terminal/run.js";
import { program } from "./commands.js";

/** Runs the command line and returns the exit code. Prints every error and never throws. */
export async function run(args: readonly string[], cwd: string): Promise<number> {
  const line = readLine(program, args);
  try {
    return await runLine(program, line, (found, values) => found.call({ cwd }, values));
  } catch (error) {
    return printError(error, isGiven(line, "json"));
  }
}
