import { standardOutput } from "../../tools/terminal/output.js";
import type { Command } from "../../tools/terminal/program.js";
import { readLine, runLine } from "../../tools/terminal/run.js";
import { resultsIfCurrent } from "../project/current.js";
import { program } from "./commands.js";
import { checkModes, runOnce } from "./generate-once.js";
import type { GenerateArguments } from "./request.js";

/** Exit code of a run, and the text that it prints. */
export interface CurrentRun {
  readonly code: number;
  readonly text: string;
}

/**
 * Runs `generate` as the whole program does, if all outputs are up to date. Returns `undefined` for
 * any other command line and for every error, so that the whole program runs and reports them. The
 * build bundles this module separately, because most runs of `generate` change nothing.
 */
export async function runIfCurrent(
  args: readonly string[],
  cwd: string,
): Promise<CurrentRun | undefined> {
  const printed: string[] = [];
  standardOutput.write = (text) => void printed.push(text);
  try {
    const line = readLine(program, args);
    const code = await runLine(program, line, async (command, values) => {
      if (command !== (program.commands["generate"] as Command<never>)) return handOver();
      return await generateIfCurrent({ ...values, cwd } as unknown as GenerateArguments);
    });
    return { code, text: printed.join("") };
  } catch {
    return undefined;
  }
}

async function generateIfCurrent(args: GenerateArguments): Promise<number> {
  checkModes(args);
  if (args.watch === true) return handOver();
  return await runOnce(args, async (request) => (await resultsIfCurrent(request)) ?? handOver());
}

function handOver(): never {
  throw new Error("This run requires the whole program");
}
