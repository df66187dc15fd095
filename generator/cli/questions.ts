import { resolve } from "node:path";
import { specRegistry } from "../input/registry.js";
import { checkFile, checkFolder } from "../output/write.js";
import { specChoice, type SingleConfig } from "../project/config.js";
import { InputError } from "../../support/diagnostics.js";
import type { Prompt } from "../../tools/terminal/questions.js";

type Answers = Required<Pick<SingleConfig, "spec" | "out" | "agent">>;

/**
 * Asks for the settings that the flags do not specify. Repeats each question until the answer is
 * valid. An empty answer selects the default.
 */
export async function askForSettings(
  given: SingleConfig,
  defaults: Answers,
  cwd: string,
  prompt: Prompt,
): Promise<Answers> {
  const ask = async (
    text: string,
    key: keyof Answers,
    check: (answer: string) => void,
  ): Promise<string> => {
    const current = given[key];
    if (current !== undefined) return current;
    const answer = (await prompt.question(`${text} (${defaults[key]}) `)).trim() || defaults[key];
    try {
      check(answer);
      return answer;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      prompt.refuse(error);
      return await ask(text, key, check);
    }
  };
  const files = specChoice({ ...given, cwd }, {});
  return {
    spec: await ask("Version of A2A, or path of a proto:", "spec", (spec) =>
      specRegistry(cwd).find(spec, files),
    ),
    out: await ask("Output folder:", "out", (out) => checkFolder(resolve(cwd, out), out, [cwd])),
    agent: await ask("Program of the agent or of the services:", "agent", (agent) =>
      checkFile(resolve(cwd, agent), agent, { willBeCreated: true }),
    ),
  };
}
