import { beforeEach, describe, expect, it, vi } from "vitest";
import type { A2AClient } from "../../../generated/1.0/index.js";
import { memoryStore } from "../../../library/kit/memory/store.js";
import { textOf, type Content } from "../../../library/kit/turns/updates.js";
import { sent } from "./framework.js";
import { frameworks } from "./frameworks.js";
import { itWith, questionsIn, scriptOf, served, settled, type Surroundings } from "./served.js";
import { gate, talkTo } from "./talk.js";

beforeEach(() => {
  sent.length = 0;
});

describe.each(frameworks)("an agent of %s that asks for approvals", (_name, framework) => {
  const { decision, lacks, metadata } = framework;

  it("the agent asks for an approval, and runs the tool after a yes", async () => {
    const { say, reply, prompts } = await served(framework);
    const question = await say("mail ada");
    expect(question).toMatchObject({
      state: "TASK_STATE_INPUT_REQUIRED",
      said: 'Allow mail({"to":"ada"})?',
      text: "I will mail.",
    });
    expect(sent).toEqual([]);
    const { state, text, task } = await reply(question, "Yes.");
    expect(state).toBe("TASK_STATE_COMPLETED");
    expect(text).toBe("I will mail.\n\nI read mailed ada.");
    expect(sent).toEqual(["ada"]);
    expect(prompts).toHaveLength(2);
    expect(task?.metadata).toMatchObject(metadata(2));
  });

  it.each([
    ["a text other than yes", "Too late", "Too late"],
    ["data", [{ data: decision(undefined, false, "Busy") }], "Busy"],
    ["data without a reason", [{ data: decision(undefined, false) }], ""],
    ["data and a yes", [{ text: "yes" }, { data: decision(undefined, false, "No") }], "No"],
  ])("the agent does not run the tool after %s, and its model reads why", async (_, no, reason) => {
    const { say, reply } = await served(framework);
    const { state, text } = await reply(await say("mail ada"), no);
    expect(state).toBe("TASK_STATE_COMPLETED");
    expect(text).toContain(reason);
    expect(sent).toEqual([]);
  });

  it("the agent accepts an approval as data about the same call only", async () => {
    const { say, reply } = await served(framework);
    const first = await say("mail ada");
    const [{ id } = { id: "" }] = questionsIn(first);
    const answer = [{ data: decision(id, true) }];
    await reply(first, answer);
    expect(sent).toEqual(["ada"]);
    const second = await say("mail ada");
    const again = await reply(second, [...answer, { text: "yes" }]);
    expect(again.said).toBe(second.said);
    expect(sent).toEqual(["ada"]);
    await settled({ reply }, again, () => "yes");
    expect(sent).toEqual(["ada", "ada"]);
  });

  const [together, answersToBoth] =
    lacks["two questions at once"] === undefined ? [true, 1] : [false, 2];

  it("the agent decides about two calls by their ids", async () => {
    const talk = await served(framework);
    const question = await talk.say("mail both");
    expect(questionsIn(question)).toHaveLength(together ? 2 : 1);
    const { end, answers } = await settled(talk, question, (questions) =>
      questions.toReversed().map(({ id, text }) => ({
        data: decision(id, text.includes("bob"), "Busy"),
      })),
    );
    expect(answers).toBe(answersToBoth);
    expect(end.text).toContain("Busy");
    expect(end.text).toContain("mailed bob");
    expect(sent).toEqual(["bob"]);
  });

  it("the agent runs two calls after a yes", async () => {
    const talk = await served(framework);
    const { answers } = await settled(talk, await talk.say("mail both"), () => "yes");
    expect(answers).toBe(answersToBoth);
    expect(sent.toSorted()).toEqual(["ada", "bob"]);
  });

  itWith(
    "two questions at once",
    framework,
    "the agent asks again for the decision that is missing",
    async () => {
      const talk = await served(framework);
      const question = await talk.say("mail both");
      const allow = (to: string) => `Allow mail({"to":"${to}"})?`;
      expect(question.said.split("\n").toSorted()).toEqual([allow("ada"), allow("bob")]);
      const bob = questionsIn(question).find(({ text }) => text.includes("bob"));
      const again = await talk.reply(question, [{ data: decision(bob?.id, true) }]);
      expect([again.state, again.said]).toEqual(["TASK_STATE_INPUT_REQUIRED", allow("ada")]);
      const { end } = await settled(talk, again, () => "yes");
      expect(sent.toSorted()).toEqual(["ada", "bob"]);
      expect(end.text).toMatch(/^I read (mailed (ada|bob) ?){2}\.$/);
    },
  );
});

describe.each(frameworks)(
  "an agent of %s that gets a message before its question",
  (_name, framework) => {
    const { call, decision } = framework;
    const script = scriptOf(framework);

    /**
     * Has a conversation to the second question of a task. Sends a message before the question, while
     * the model is working.
     */
    async function twice(early: Content, around: Surroundings = {}) {
      const [begun, sentEarly] = [gate(), gate()];
      const wait = (): Promise<void> => {
        begun.open();
        return sentEarly.opened;
      };
      const talk = await served(
        framework,
        {},
        (last, lines) => {
          if (last.includes("mailed ada"))
            return [wait, "One more.", call("mail", { to: "bob" }, "second")];
          return last.includes("mailed bob") ? ["Both are sent."] : script(last, lines);
        },
        around,
      );
      const question = await talk.say("mail ada");
      const answered = talk.reply(question, "yes");
      await begun.opened;
      await talk.interject(early);
      sentEarly.open();
      await answered;
      const id = question.task?.id ?? "";
      return { ...talk, id };
    }

    /** Waits until a task has asked twice about the second mail. */
    async function askedAgain(client: A2AClient, id: string) {
      return vi.waitFor(async () => {
        const task = await client.getTask({ id });
        const { history = [], status } = task;
        const said = [...history, ...(status.message === undefined ? [] : [status.message])];
        const questions = said.filter((each) => textOf(each) === 'Allow mail({"to":"bob"})?');
        expect(questions).toHaveLength(2);
        expect(status.state).toBe("TASK_STATE_INPUT_REQUIRED");
      });
    }

    const unread = /One more\.\n\nBoth are sent\.$/;

    it.each([
      ["yes", unread],
      ["Hurry up", /One more\.\n\nBoth are sent\.\n\nI read .*; user: Hurry up\.$/s],
    ])(
      'an early "%s" does not answer: the agent asks again, and then reads other texts than a yes',
      async (early, expected) => {
        const talk = await twice(early);
        await askedAgain(talk.client, talk.id);
        expect(sent).toEqual(["ada"]);
        const { state, text } = await talk.say("yes", { taskId: talk.id });
        expect(state).toBe("TASK_STATE_COMPLETED");
        expect(text).toMatch(expected);
        expect(sent).toEqual(["ada", "bob"]);
      },
    );

    it("a turn that is resumed after a crash knows that its message was early", async () => {
      const store = memoryStore();
      const held = gate();
      const first = await twice("yes", {
        store,
        async before({ early }) {
          if (!early) return;
          held.open();
          await new Promise(() => undefined);
        },
      });
      await held.opened;
      await first.close();
      const second = await talkTo(first.agent.serve({}), { store });
      await askedAgain(second.client, first.id);
      expect(sent).toEqual(["ada"]);
      expect((await second.say("yes", { taskId: first.id })).text).toMatch(unread);
      expect(sent).toEqual(["ada", "bob"]);
    });

    itWith(
      "known ids of questions",
      framework,
      "an early data part does not answer, because ids can be those of an earlier question",
      async () => {
        const talk = await twice([{ data: decision("second", true) }]);
        await askedAgain(talk.client, talk.id);
        expect(sent).toEqual(["ada"]);
        expect((await talk.say("yes", { taskId: talk.id })).text).toMatch(unread);
        expect(sent).toEqual(["ada", "bob"]);
      },
    );
  },
);
