import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, expectTypeOf, it } from "vitest";
import type * as v1_0 from "../../../../generated/1.0/models.js";
import type * as v1_1 from "../../../../generated/1.1-draft/models.js";
import { readProtocol } from "../../../../generator/core/read.js";
import type { TaskClient } from "../../../../library/client/options.js";
import type * as kit from "../../../../library/kit/model.js";
import type { A2AClient as Client1_0 } from "../../../../generated/1.0/client/client.js";
import type { A2AClient as Client1_1 } from "../../../../generated/1.1-draft/client/client.js";
import * as agents from "../../../../library/kit/unbound.js";
import * as stores from "../../../../library/stores/index.js";
import { packageFolder } from "../../../../support/package-folder.js";
import { findSource } from "../../../support/output.js";

interface Kit {
  AgentCard: kit.AgentCard;
  Artifact: kit.Artifact;
  ListTasksRequest: kit.ListTasksRequest;
  ListTasksResponse: kit.ListTasksResponse;
  Message: kit.Message;
  Part: kit.Part;
  SecurityScheme: kit.SecurityScheme;
  SendMessageRequest: kit.SendMessageRequest;
  SendMessageResponse: kit.SendMessageResponse;
  StreamResponse: kit.StreamResponse;
  Task: kit.Task;
  TaskArtifactUpdateEvent: kit.TaskArtifactUpdateEvent;
  TaskPushNotificationConfig: kit.TaskPushNotificationConfig;
  TaskStatusUpdateEvent: kit.TaskStatusUpdateEvent;
}

interface Models1_0 {
  AgentCard: v1_0.AgentCard;
  Artifact: v1_0.Artifact;
  ListTasksRequest: v1_0.ListTasksRequest;
  ListTasksResponse: v1_0.ListTasksResponse;
  Message: v1_0.Message;
  Part: v1_0.Part;
  SecurityScheme: v1_0.SecurityScheme;
  SendMessageRequest: v1_0.SendMessageRequest;
  SendMessageResponse: v1_0.SendMessageResponse;
  StreamResponse: v1_0.StreamResponse;
  Task: v1_0.Task;
  TaskArtifactUpdateEvent: v1_0.TaskArtifactUpdateEvent;
  TaskPushNotificationConfig: v1_0.TaskPushNotificationConfig;
  TaskStatusUpdateEvent: v1_0.TaskStatusUpdateEvent;
}

interface Models1_1 {
  AgentCard: v1_1.AgentCard;
  Artifact: v1_1.Artifact;
  ListTasksRequest: v1_1.ListTasksRequest;
  ListTasksResponse: v1_1.ListTasksResponse;
  Message: v1_1.Message;
  Part: v1_1.Part;
  SecurityScheme: v1_1.SecurityScheme;
  SendMessageRequest: v1_1.SendMessageRequest;
  SendMessageResponse: v1_1.SendMessageResponse;
  StreamResponse: v1_1.StreamResponse;
  Task: v1_1.Task;
  TaskArtifactUpdateEvent: v1_1.TaskArtifactUpdateEvent;
  TaskPushNotificationConfig: v1_1.TaskPushNotificationConfig;
  TaskStatusUpdateEvent: v1_1.TaskStatusUpdateEvent;
}

/** The names of the types that cannot be assigned to each other. */
type Misfits<A, B extends { readonly [Name in keyof A]: unknown }> = {
  [Name in keyof A]: [A[Name], B[Name]] extends [B[Name], A[Name]] ? never : Name;
}[keyof A];

describe("the model of the kit", () => {
  it("the types of each version with a kit fit the types of the kit, in both directions", () => {
    expectTypeOf<Misfits<Models1_0, Kit>>().toBeNever();
    expectTypeOf<Misfits<Models1_1, Kit>>().toBeNever();
  });

  it("the manifest lists the types that the kit requires", () => {
    const text = readFileSync(join(packageFolder, "library", "kit", "model.ts"), "utf8").replaceAll(
      /^\/\/.*$/gm,
      "",
    );
    const names = [...text.matchAll(/[{,]\s+(\w+)(?=[ ,])/g)].map(([, name = ""]) => name);
    expect(names.length).toBeGreaterThan(20);
    expect(readProtocol(findSource("1.0")).binding?.tasks?.types).toEqual(names.sort());
  });

  it("authors of agents get no helper functions of stores, and authors of stores get them", () => {
    const helpers = ["applyEntries", "inHistory", "isOfOtherCopy", "markAsOwn", "storeCopy"];
    expect(helpers.filter((name) => name in agents)).toEqual([]);
    expect(helpers.filter((name) => !(name in stores))).toEqual([]);
  });

  it("the client of each version with a kit can follow tasks", () => {
    expectTypeOf<Client1_0>().toExtend<TaskClient>();
    expectTypeOf<Client1_1>().toExtend<TaskClient>();
  });

  it("the kit has the members that 1.1 has added", () => {
    expectTypeOf<kit.Task>().toHaveProperty("generation");
    expectTypeOf<kit.GetTaskRequest>().toHaveProperty("currentGeneration");
  });
});
