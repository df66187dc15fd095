import { resolve } from "node:path";
import { specRegistry } from "../input/registry.js";
import { checkFile, checkFolder } from "../output/write.js";
import type { SingleConfig } from "../project/config.js";
import { InputError } from "../support/diagnostics.js";

/** Where questions go, and answers come from. */
export interface Asking {
  /** Returns the answer to a question. */
  readonly question: (text: string) => Promise<string>;
  /** Is called with what is wrong with an answer, before the question is asked again. */
  readonly refuse: (error: InputError) => void;
}

type Answers = Required<Pick<SingleConfig, "spec" | "out" | "agent">>;

/** Asks for what flags do not say, each question until the answer can be used. An empty answer means the default. */
export async function askFor(given: SingleConfig, usual: Answers, cwd: string, asking: Asking): Promise<Answers> {
  const ask = async (text: string, key: keyof Answers, check: (answer: string) => void): Promise<string> => {
    const current = given[key];
    if (current !== undefined) return current;
    const answer = (await asking.question(`${text} (${usual[key]}) `)).trim() || usual[key];
    try {
      check(answer);
      return answer;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      asking.refuse(error);
      return await ask(text, key, check);
    }
  };
  const { manifest, schema } = given;
  const files = { ...(manifest !== undefined && { manifest }), ...(schema !== undefined && { schema }) };
  return {
    spec: await ask("Version of A2A, or path of a proto:", "spec", (spec) => specRegistry(cwd).find(spec, files)),
    out: await ask("Output folder:", "out", (out) => checkFolder(resolve(cwd, out), out, [cwd])),
    agent: await ask("Agent skeleton:", "agent", (agent) => checkFile(resolve(cwd, agent), agent, true)),
  };
}
