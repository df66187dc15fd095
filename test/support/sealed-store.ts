import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { TaskState } from "../../generated/1.1-draft/models.js";
import { type TaskStore, UnreadableTaskError, type Webhook } from "../../library/kit/store.js";
import type { Encryption, SealContext } from "../../library/stores/log/codec.js";
import {
  Bench,
  messageEntry,
  chunkEntry,
  statusEntry,
  statusOf,
  working,
} from "../../library/stores/testing/contract/bench.js";

/**
 * Returns an encryption that is easy to see through, and refuses what another key or in another
 * context has sealed.
 */
export function encryptionOf(key: string, plain?: "refuse" | "read"): Encryption {
  const at = ({ taskId, kind }: SealContext) =>
    Buffer.from(`${kind} of ${taskId}`).toString("base64");
  return {
    ...(plain !== undefined && { plain }),
    // As any good encryption, it never writes a text twice in the same way.
    seal: (text, context) =>
      `${key} ${randomUUID()} ${Buffer.from(text).toString("base64")} ${at(context)}`,
    open(sealed, context) {
      const [by, , text = "", sealedAt] = sealed.split(" ");
      if (by !== key) throw new Error("The key is another one");
      if (sealedAt !== at(context)) throw new Error("The text is from another context");
      return Buffer.from(text, "base64").toString();
    },
  };
}

/**
 * Expects that a webhook that is registered again keeps its events, and that a changed webhook
 * starts again.
 */
async function expectKeptWhenPutAgain(store: TaskStore, { scope, claim }: Bench, webhook: Webhook) {
  const eventsOf = async (put: Webhook): Promise<readonly number[]> => {
    expect(await store.putWebhook(scope, put)).toBe("put");
    const { rows } = await store.claimWebhooks(claim, 10);
    return rows.flatMap(({ events }) => events.map(({ generation }) => generation));
  };
  const later = { ...webhook, after: 2 };
  expect(await eventsOf(webhook)).toEqual([2]);
  expect(await eventsOf(later)).toEqual([2]);
  expect(
    await eventsOf({ ...later, config: { ...webhook.config, token: "another secret" } }),
  ).toEqual([]);
  expect(await eventsOf(webhook)).toEqual([2]);
  // Its lease is void, so that the next claim finds it.
  await store.putWebhook(scope, webhook);
}

/**
 * Tests that a store encrypts what callers and agents say. `open` opens the same data each time,
 * and `dump` returns all of it as text.
 */
export async function testEncryption(
  open: (encryption: Encryption | undefined) => TaskStore,
  dump: () => Promise<string> | string,
): Promise<void> {
  const secret = "a secret of a user";
  const bench = new Bench(open(encryptionOf("one")), 10_000, undefined);
  const { store, scope, claim } = bench;
  const { id, task, lease } = await bench.open(
    { metadata: { secret } },
    { checkpoint: { secret } },
  );
  const webhook = bench.webhook(id, "hook", {
    config: { id: "hook", url: "https://secret.example/", token: secret },
  });
  await store.putWebhook(scope, webhook);
  const [first, second] = [bench.item(secret), bench.item(secret)];
  for (const item of [first, second]) await store.post(scope, id, item, claim);
  const piece = chunkEntry(task, 2, { artifactId: "a", parts: [{ text: secret }] });
  const found = await store.append(lease, [messageEntry(1, first), piece], {
    taken: [first.id],
    turn: first,
  });
  expect(found.inbox).toEqual([second]);
  const dumped = await dump();
  expect(dumped).toContain(id);
  expect(dumped).not.toContain("secret");

  const again = open(encryptionOf("one"));
  const stored = await again.read(scope, id);
  expect([stored?.turn, stored?.checkpoint, stored?.task.artifacts?.[0]?.parts]).toEqual([
    first,
    { secret },
    [{ text: secret }],
  ]);
  expect(await again.webhooks(scope, id)).toEqual([webhook]);
  await expectKeptWhenPutAgain(again, bench, webhook);
  const watch = again.watch(scope, id, 0);
  expect(await watch.next()).toEqual([messageEntry(1, first), piece]);
  watch.close();
  await again.append(lease, [
    working(task, 3),
    statusEntry(task, 4, statusOf(TaskState.Completed, 4)),
  ]);
  expect((await again.list(scope, { limit: 1, artifacts: true })).tasks[0]?.task.metadata).toEqual({
    secret,
  });

  const stranger = open(encryptionOf("two"));
  await expect(stranger.read(scope, id)).rejects.toThrow(UnreadableTaskError);
  expect(
    (await stranger.list(scope, { limit: 1 })).unreadable?.map(({ taskId }) => taskId),
  ).toEqual([id]);
  const due = await stranger.claimWebhooks(claim, 10);
  expect([due.rows, due.unreadable.length]).toEqual([[], 1]);

  // Any process could write text without encryption, so only the option for migrations reads it.
  const plain = new Bench(open(undefined), 10_000, undefined);
  const unsealed = await plain.open({ id: "unsealed", metadata: { written: "without the key" } });
  const readWith = (encryption: Encryption) => open(encryption).read(plain.scope, unsealed.id);
  await expect(readWith(encryptionOf("one"))).rejects.toThrow(UnreadableTaskError);
  expect((await readWith(encryptionOf("one", "read")))?.task.metadata).toEqual({
    written: "without the key",
  });
}
