import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { complaintsOf } from "../../../product/types/compile.js";
import { lostLine, Workspace } from "./merging.js";

const versions = [
  "0.2.6",
  "0.3.0",
  "1.0",
  "0.3.0",
  "0.2.6",
  "1.0",
  "0.1.0",
  "0.3.0",
  "0.1.0",
  "1.0",
];

const mine = `// Mine.
import { createAgent, type A2AService, type AgentCard, type Task } from "./a2a/index.js";

/** Keeps tasks. */
class Keeper implements A2AService {
  readonly #tasks = new Map<string, Task>();   // oddly spaced

  getTask({ id }: { id: string }): Task {
    const task = this.#tasks.get(id);
    if (!task) throw new Error( "none" )
    return task;
  }


  /* The last one. */
  cancelTask = (request: { id: string }) => this.getTask(request);
}

export const agent = (card: AgentCard) => createAgent({ card, service: new Keeper() });
`;

describe("an agent that is upgraded and downgraded through ten versions", () => {
  it("the agent keeps every line of its author and compiles", async () => {
    const spaces = new Map<string, Workspace>();
    for (const version of new Set(versions))
      spaces.set(version, await Workspace.of(`merge-${version}`, version));
    let [text, known, removed]: [string, string[], string[]] = [
      mine,
      ["getTask", "cancelTask"],
      [],
    ];
    for (const version of versions) {
      const space = spaces.get(version);
      if (space === undefined) throw new Error(`${version} was not generated`);
      const result = space.merge(text, { known, removed });
      expect(lostLine(mine, result.text)).toBe(undefined);
      expect(lostLine(text, result.text)).toBe(undefined);
      expect(space.merge(result.text, { known: space.methods, removed }).text).toBe(result.text);
      expect(
        result.removed.map(({ method }) => method).filter((name) => space.methods.includes(name)),
      ).toEqual([]);
      [text, known, removed] = [
        result.text,
        space.methods,
        result.removed.map(({ method }) => method),
      ];
    }
    const last = spaces.get("1.0");
    writeFileSync(join(last?.folder ?? "", "agent.ts"), text);
    // Compile errors are only expected for methods and imports of operations that only other
    // versions have.
    const project = {
      name: "merge-versions",
      include: ["merge-1.0/agent.ts"],
      surrounding: "node",
    } as const;
    const problems = await complaintsOf("typescript-7", project);
    expect(problems.filter((problem) => !problem.includes("has no exported member"))).toEqual([]);
    expect(removed).not.toEqual([]);
    for (const method of removed) expect(last?.methods).not.toContain(method);
  });
});
