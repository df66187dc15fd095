import * as calls from "../../generated/1.1-draft/client/calls.js";
import { clientErrors, TaskGenerationMismatchError } from "../../generated/1.1-draft/errors.js";
import type * as models from "../../generated/1.1-draft/models.js";
import { discovery, operations, protocol } from "../../generated/1.1-draft/operations.js";
import type { A2AService } from "../../generated/1.1-draft/server/service.js";
import * as validators from "../../generated/1.1-draft/validators.js";
import * as client from "../../library/client/unbound.js";
import type { TaskClient } from "../../library/client/options.js";
import type { Models } from "../../library/kit/model.js";
import * as push from "../../library/kit/push/push-receiver.js";
import * as signing from "../../library/kit/signatures/sign.js";
import * as service from "../../library/kit/task-service.js";
import type { ServiceFacts } from "../../library/kit/kit-facts.js";
import type { TaskServiceOptions } from "../../library/kit/options.js";

type AgentCard = models.AgentCard;

/** The facts of 1.1-draft that the kit takes for a service. */
export const serviceFacts: ServiceFacts = {
  protocol,
  mismatch: TaskGenerationMismatchError,
  assertStatusUpdate: validators.assertTaskStatusUpdateEvent,
  assertArtifactUpdate: validators.assertTaskArtifactUpdateEvent,
};

const card = validators.AgentCardSchema;

/** Returns a service of 1.1-draft with the unbundled modules of library/kit/. */
export function taskService<User = unknown, State = unknown, Caller = User>(
  options: TaskServiceOptions<User, State, Caller>,
): service.TaskService<A2AService<Caller>> {
  return service.taskService<User, State, Caller, Models, A2AService<Caller>>(
    options,
    serviceFacts,
  );
}

/** The types of what is followed. */
interface FollowedModels extends Models {
  readonly Task: models.Task;
  readonly Message: models.Message;
  readonly StreamResponse: models.StreamResponse;
}

/** A change of a task of 1.1-draft. */
export type Followed = client.Followed<FollowedModels>;

/** Returns the end of webhooks of 1.1-draft. */
export function pushReceiver(options: push.PushReceiverOptions): push.PushReceiver {
  return push.pushReceiver(options, {
    protocol,
    event: validators.StreamResponseSchema,
    task: validators.TaskSchema,
  });
}

/** Signs a card of 1.1-draft. */
export function signCard(one: AgentCard, options: signing.SigningOptions): Promise<AgentCard> {
  return signing.signCard(one, options, { card });
}

/** Checks the signature of a card of 1.1-draft. */
export function verifyCard(
  one: AgentCard,
  findKey: client.FindKey,
): Promise<client.SignatureHeader> {
  return client.verifyCard(one, findKey, { card });
}

/** Sends credentials with the calls of a client of 1.1-draft. */
export function withCredentials(
  find: Parameters<typeof client.withCredentials>[0],
  options: client.CredentialsOptions = {},
): ReturnType<typeof client.withCredentials> {
  return client.withCredentials(find, options, { discovery, protocol });
}

/** Checks calls of a client of 1.1-draft by the capabilities of its agent. */
export function withCapabilityCheck(
  one?: AgentCard,
): ReturnType<typeof client.withCapabilityCheck> {
  const { sendMessage: send, sendStreamingMessage: stream } = calls;
  return client.withCapabilityCheck(one, { discovery, operations, send, stream });
}

/** Follows a task with a client of 1.1-draft. */
export function followTask(
  caller: TaskClient,
  start: models.Task | models.GetTaskRequest,
  options?: client.FollowOptions,
): client.Following<client.FollowedTask<FollowedModels>, { task: models.Task }>;
export function followTask(
  caller: TaskClient,
  start: models.SendMessageRequest,
  options?: client.FollowOptions,
): client.Following<Followed, models.SendMessageResponse>;
export function followTask(
  caller: TaskClient,
  start: client.FollowStart,
  options: client.FollowOptions = {},
): client.Following<Followed, client.FollowResult> {
  return client.followTask<FollowedModels>(caller, start, options, {
    errors: clientErrors,
    counts: true,
  });
}
