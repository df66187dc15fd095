import { describe, expect, it } from "vitest";
import type { ServingOptions } from "../../../library/bridges/answer.js";
import { textOf } from "../../../library/kit/turns/updates.js";
import type { Tools } from "./framework.js";
import { frameworks } from "./frameworks.js";
import { png, scriptOf, served } from "./served.js";
import { gate, untilAbort } from "./talk.js";

const file = { url: "http://127.0.0.1:9/a.png", mediaType: "image/png" };

describe.each(frameworks)("an agent of %s that is served", (_name, framework) => {
  const { lacks, metadata, reasoning } = framework;
  const script = scriptOf(framework);

  it("the agent streams the same text as without the bridge, and reports its usage", async () => {
    const { agent, say } = await served(framework);
    const alone = await agent.stream("weather");
    const { state, text, task } = await say("weather");
    expect({ state, text }).toEqual({
      state: "TASK_STATE_COMPLETED",
      text: "Let me look.\n\nI read Oslo is sunny.",
    });
    expect(text.replaceAll("\n\n", "")).toBe(alone);
    expect(task?.artifacts).toMatchObject([{ artifactId: "answer", name: "answer" }]);
    expect(task?.artifacts?.[0]?.parts[0]?.mediaType).toBe("text/markdown");
    expect(task?.metadata).toMatchObject(metadata(2));
  });

  it("the agent remembers the conversation of a context, or nothing with `memory: 0`", async () => {
    const { say, prompts } = await served(framework);
    const { contextId, text } = await say("One");
    expect(text).toBe("I read user: One.");
    const second = await say([{ text: "Two" }, { data: { n: 2 } }], { contextId });
    const lines = ["user: One", `assistant: ${text}`, 'user: Two {"n":2}'];
    const read = () => prompts.at(-1)?.map((line) => line.replaceAll("\n", " "));
    expect(read()).toEqual(lines);
    await say("Three", { contextId });
    const answer = `assistant: ${second.text.replaceAll("\n", " ")}`;
    expect(read()).toEqual([...lines, answer, "user: Three"]);
    const forgetful = await served(framework, { memory: 0 });
    const first = await forgetful.say("One");
    expect((await forgetful.say("Two", first)).text).toBe("I read user: Two.");
  });

  it("the agent shows the names of its tools, their data, or nothing", async () => {
    const shown = async (options: ServingOptions) =>
      (await (await served(framework, options)).say("weather")).progress;
    expect(await shown({})).toEqual(["Calling weather"]);
    expect(await shown({ tools: "data" })).toMatchObject([
      { type: "tool-call", toolName: "weather", input: { city: "Oslo" } },
      { type: "tool-result", toolName: "weather", output: "Oslo is sunny" },
    ]);
    expect(await shown({ tools: "none" })).toEqual([]);
  });

  it("the agent passes files of callers to the model", async () => {
    const { say, prompts } = await served(framework);
    const pdf = btoa("%PDF-1.7");
    const document = { raw: pdf, mediaType: "application/pdf", filename: "a.pdf" };
    await say([{ text: "Look" }, { raw: png, mediaType: "image/png" }, document]);
    const files = `[image/png ${png}] [a.pdf application/pdf ${pdf}]`;
    expect(prompts).toEqual([[`user: Look ${files}`]]);
  });

  it("the agent passes files of the model to callers, and remembers them", async () => {
    const { say, prompts } = await served(framework);
    const { task, text, contextId } = await say("picture");
    expect(text).toBe("Here.");
    expect(task?.artifacts?.find(({ artifactId }) => artifactId === "file-1.png")).toMatchObject({
      name: "file-1.png",
      parts: [{ raw: png, mediaType: "image/png", filename: "file-1.png" }],
    });
    await say("And?", { contextId });
    expect(prompts.at(-1)?.[1]).toMatch(/\[.*png.*\]/);
  });

  it("the agent fetches files at URLs, but not from private addresses", async () => {
    const { say, errors, prompts } = await served(framework);
    const refused = await say([{ text: "Look" }, file]);
    expect(refused).toMatchObject({ state: "TASK_STATE_FAILED", said: "" });
    expect(errors.map(String)).toEqual([expect.stringContaining("not public")]);
    expect(prompts).toEqual([]);
    const fetch = () => Promise.resolve(new Response("bytes"));
    const fetching = await served(framework, { fetch });
    const { state } = await fetching.say([{ text: "Look" }, file]);
    expect(state).toBe("TASK_STATE_COMPLETED");
    expect(fetching.prompts.at(-1)?.join()).toContain(`[image/png ${btoa("bytes")}]`);
  });

  it("the agent answers a message that arrives during its turn before it ends", async () => {
    const { open, opened } = gate();
    const talk = await served(framework, { everyMs: 0 }, (last, lines) =>
      last.includes("First") ? ["One.", () => opened, "Two."] : script(last, lines),
    );
    const answer = talk.ask("First");
    expect((await answer.next()).value).toMatchObject({ type: "text", text: "One." });
    await talk.interject("Second");
    open();
    const { state, text, task } = await answer.result();
    expect(state).toBe("TASK_STATE_COMPLETED");
    expect(text).toMatch(/^One\.\s*Two\.\n\nI read user: First; assistant: .*; user: Second\.$/s);
    expect(task?.metadata).toMatchObject(metadata(2));
  });

  it("the agent stops its model when its task is canceled", async () => {
    const aborted = gate();
    const { ask, cancel, errors } = await served(framework, { everyMs: 0 }, () => [
      "Begun ",
      (signal) => untilAbort(signal).finally(aborted.open),
    ]);
    const answer = ask("Count");
    await answer.next();
    await cancel();
    expect((await answer.result()).state).toBe("TASK_STATE_CANCELED");
    await aborted.opened;
    expect(errors).toEqual([]);
  });

  it.each(["observes", "ignores"])(
    "the agent ends a canceled task in a tool that %s its signal",
    async (how) => {
      const [begun, aborted] = [gate(), gate()];
      const slow: Tools["slow"] = (signal) => {
        begun.open();
        const ended = untilAbort(signal).finally(aborted.open);
        return how === "observes" ? ended : ended.catch(() => new Promise(() => undefined));
      };
      const { say, cancel, errors } = await served(framework, {}, script, { slow });
      const answer = say("slow");
      await begun.opened;
      await cancel();
      expect((await answer).state).toBe("TASK_STATE_CANCELED");
      await aborted.opened;
      expect(errors).toEqual([]);
    },
  );

  it("the agent reports the error of a model to the operator only", async () => {
    const { say, errors } = await served(framework);
    const failed = await say("fail");
    expect(failed).toMatchObject({ state: "TASK_STATE_FAILED", said: "" });
    expect(failed.task?.artifacts?.map(textOf)).toEqual(["Hm "]);
    expect(JSON.stringify(failed)).not.toContain("secret");
    expect(errors.map(String)).toEqual([expect.stringContaining("secret of the model")]);
  });

  it("the agent does not show the error of a tool, which only the model reads", async () => {
    const { say, prompts } = await served(framework, { tools: "data" }, (last, lines) =>
      last.startsWith("tool: ") ? ["It failed."] : script(last, lines),
    );
    const done = await say("Atlantis");
    expect(done).toMatchObject({ state: "TASK_STATE_COMPLETED", text: "It failed." });
    expect(JSON.stringify(done)).not.toContain("secret");
    const isKnown = lacks["errors of tools"] === undefined;
    expect(prompts.at(-1)?.at(-1)?.includes("secret of the tool")).toBe(isKnown);
    const type = isKnown ? "tool-error" : "tool-result";
    expect(done.progress).toMatchObject([{ type: "tool-call" }, { type }]);
  });

  it("the agent passes 10,000 tokens on in few events", async () => {
    const long = "token ".repeat(10_000);
    const { say } = await served(framework, {}, () => [long]);
    const { text, updates } = await say("Count");
    expect(text).toBe(long);
    expect(updates.length).toBeLessThan(1_000);
  });

  it("the agent fails after the time limit of a turn if its model never ends", async () => {
    const step = ["A", () => new Promise(() => undefined)];
    const { say } = await served(framework, { everyMs: 0 }, () => step, {
      limits: { turnWithinMs: 300 },
    });
    expect(await say("Hi")).toMatchObject({ state: "TASK_STATE_FAILED", text: "A" });
  });

  it("the agent shows the reasoning of the model if it is wanted", async () => {
    const thinking = async (options: ServingOptions) => {
      const { say } = await served(framework, options, () => [...reasoning("Hm."), "Green."]);
      const { task } = await say("Tea");
      return task?.artifacts?.map((each) => [each.name, textOf(each)]).toSorted();
    };
    const answer = ["answer", "Green."];
    expect(await thinking({ reasoning: true })).toEqual([answer, ["reasoning", "Hm."]]);
    expect(await thinking({})).toEqual([answer]);
  });
});
