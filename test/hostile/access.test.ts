import { afterAll, describe, expect, it } from "vitest";
import { startAgent, stopAgents } from "./agent.js";
import { everywhere, expectAlive, reasonOf, transports } from "./everywhere.js";
import type { OperationName } from "./subject.js";
import { servedSubjects } from "./subjects.js";
import { callGrpc, get, grpcOf, metadataOf, post, rpcOf } from "./wire.js";

afterAll(stopAgents);

describe.concurrent.each(servedSubjects)("A2A $title", (subject) => {
  const { samples, classes, base } = subject;
  const request = { message: samples.message };
  const task = { id: "t1" };
  const unsupported = subject.version === "1.0" ? [-32004, 400, 9] : [-32004, 400, 12];
  const noWebhooks = subject.version === "1.0" ? [-32003, 400, 9] : [-32003, 400, 12];

  describe("an operation that the card does not declare", () => {
    it.each<[OperationName, Record<string, unknown>, string, number[]]>([
      ["SendStreamingMessage", request, "UNSUPPORTED_OPERATION", unsupported],
      ["SubscribeToTask", task, "UNSUPPORTED_OPERATION", unsupported],
      [
        "CreateTaskPushNotificationConfig",
        samples.webhook,
        "PUSH_NOTIFICATION_NOT_SUPPORTED",
        noWebhooks,
      ],
      ["GetExtendedAgentCard", {}, "UNSUPPORTED_OPERATION", unsupported],
    ])("an undeclared operation is refused: %s", async (operation, params, reason, codes) => {
      for (const capabilities of [
        {},
        { streaming: false, pushNotifications: false, extendedAgentCard: false },
      ]) {
        const agent = await startAgent(
          subject,
          {},
          { agent: { card: { ...samples.bareCard, capabilities } } },
        );
        const outcome = await everywhere(agent, operation, params);
        expect([reasonOf(outcome), outcome.error?.codes]).toEqual([reason, codes]);
        await expectAlive(agent);
      }
    });

    it("an undeclared operation may be missing from the service", async () => {
      const agent = await startAgent(subject, {
        getExtendedAgentCard: undefined,
        getTask: undefined,
        subscribeToTask: 7,
      });
      const extended = await everywhere(agent, "GetExtendedAgentCard", {});
      expect(reasonOf(extended)).toMatch(/EXTENDED_(?:AGENT_)?CARD_NOT_CONFIGURED$/);
      expect(extended.error?.codes).toEqual([-32007, 400, 9]);
      expect(reasonOf(await everywhere(agent, "GetTask", task))).toBe("UNSUPPORTED_OPERATION");
      expect(reasonOf(await everywhere(agent, "SubscribeToTask", task))).toBe(
        "UNSUPPORTED_OPERATION",
      );
      expect(agent.faults).toEqual([]);
    });
  });

  describe("a caller without permission", () => {
    const refusing = (thrown: Error) =>
      startAgent(
        subject,
        {},
        { agent: { authenticate: () => Promise.reject(thrown), challenge: 'Bearer realm="x"' } },
      );

    it.each<OperationName>(["SendMessage", "SendStreamingMessage"])(
      "the agent requires credentials: %s",
      async (operation) => {
        const agent = await refusing(new classes.UnauthenticatedError());
        const outcome = await everywhere(agent, operation, {});
        expect([reasonOf(outcome), outcome.error?.codes]).toEqual([
          "UNAUTHENTICATED",
          [-31401, 401, 16],
        ]);
        const overRpc = await post(agent, "/rpc", rpcOf(subject, operation, {}));
        const overRest = await post(agent, `${base}/message:send`, {});
        for (const { status, headers } of [overRpc, overRest]) {
          expect([status, headers["www-authenticate"]]).toEqual([401, 'Bearer realm="x"']);
        }
        const { trailers } = await callGrpc(agent, grpcOf(subject, "GetTask", task));
        expect(trailers.get("www-authenticate")).toEqual(['Bearer realm="x"']);
        expect(agent.faults).toEqual([]);
      },
    );

    it("the agent refuses a caller without permission for all calls", async () => {
      const agent = await refusing(new classes.PermissionDeniedError());
      const outcome = await everywhere(agent, "SendMessage", request);
      expect([reasonOf(outcome), outcome.error?.codes]).toEqual([
        "PERMISSION_DENIED",
        [-31403, 403, 7],
      ]);
      expect((await post(agent, "/rpc", rpcOf(subject, "SendMessage", request))).status).toBe(403);
      expect((await get(agent, `${base}/tasks/t1`)).headers["www-authenticate"]).toBeUndefined();
    });

    it("a failing hook reveals nothing to the caller", async () => {
      const agent = await refusing(new Error("secret: ldap://10.0.0.1"));
      const outcome = await everywhere(agent, "SendMessage", request);
      expect([reasonOf(outcome), outcome.error?.codes]).toEqual(["INTERNAL", [-32603, 500, 13]]);
      expect(JSON.stringify(outcome)).not.toContain("secret");
      expect(agent.faults).toHaveLength(transports);
    });

    it("the agent admits a caller by its headers or metadata, in any form", async () => {
      const users: unknown[] = [];
      const agent = await startAgent(
        subject,
        {
          getTask: (_: unknown, { user }: { user: unknown }) => (
            users.push(user),
            samples.task("t1")
          ),
        },
        { agent: { authenticate: ({ headers }) => headers.get("Authorization") ?? "nobody" } },
      );
      await everywhere(
        agent,
        "GetTask",
        { id: "t1" },
        { ...subject.headers, authorization: "Bearer a" },
      );
      await everywhere(agent, "GetTask", { id: "t1" });
      expect(users.sort()).toEqual([
        "Bearer a",
        "Bearer a",
        "Bearer a",
        "nobody",
        "nobody",
        "nobody",
      ]);
      const binary = metadataOf(subject.headers);
      binary.set("authorization-bin", Buffer.from([0, 255]));
      expect(
        (await callGrpc(agent, { ...grpcOf(subject, "GetTask", task), metadata: binary })).code,
      ).toBe(0);
    });
  });
});
