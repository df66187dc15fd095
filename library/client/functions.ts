import type { ClientExtension } from "../kit/extensions/extension.js";
import type { ExtensionsOptions } from "../kit/extensions/client.js";
import type {
  AgentCard,
  GetTaskRequest,
  SendMessageRequest,
  SendMessageResponse,
  Task,
} from "../kit/model.js";
import type { SignatureHeader } from "../kit/signatures/jws.js";
import type { FindKey, VerifiedCardsOptions } from "../kit/signatures/verify.js";
import type { Interceptor } from "../runtime/protocol/transport.js";
import type { FindCredentials } from "./credential-request.js";
import type { CredentialsOptions } from "./credentials.js";
import type { Followed, Following } from "./follow-types.js";
import type { FollowOptions, TaskClient } from "./options.js";
import type { FollowedTask } from "./view.js";

/** The functions of the kit for clients that an output binds to the facts of its version. */
export interface ClientFunctions {
  /**
   * Follows a task to its end, from a message or from a known task. Uses a stream if the agent
   * supports streaming, otherwise polling, and reconnects if the connection is lost. Iteration
   * yields each change once, with the task after the change. The first event is the whole task,
   * unless `start` is a task. Changes that occur while the connection is lost are yielded as normal
   * events. A reply without a task is yielded as a single event. Leaving the loop does not cancel
   * the task.
   *
   * @param start - a request to send, a request for a task, or a task that was read earlier
   * @throws errors of the client's methods, during iteration. A lost connection is only an error if
   *   it cannot be restored. A message is only sent again if it is certain that it has not arrived
   *
   * @example
   * for await (const { task, event } of followTask(client, { message }))
   *   console.log(task?.status.state, event);
   * @example
   * const { task } = await followTask(client, { message }).result();
   */
  followTask(
    client: TaskClient,
    start: Task | GetTaskRequest,
    options?: FollowOptions,
  ): Following<FollowedTask, { task: Task }>;
  followTask(
    client: TaskClient,
    start: SendMessageRequest,
    options?: FollowOptions,
  ): Following<Followed, SendMessageResponse>;

  /**
   * Returns an interceptor that checks calls against the capabilities of the agent. If a call
   * requires a capability that the agent card does not declare, the interceptor throws the error
   * that the protocol defines for the capability, and sends no request. If the agent does not
   * support streaming, `sendStreamingMessage` becomes `sendMessage`, and its response is the only
   * event.
   *
   * @param card - the agent card; by default the card that `connect` finds. Without a card, calls
   *   are not checked
   *
   * @example
   * const client = await connect(url, { interceptors: [withCapabilityCheck()] });
   */
  withCapabilityCheck(card?: AgentCard): Interceptor;

  /**
   * Returns an interceptor that sends the credentials that the agent card requires. It uses the
   * first security requirement whose schemes can all be satisfied, and sends each credential in the
   * form that its scheme defines. If the agent rejects the credentials, the interceptor requests
   * different credentials and retries the call once. If the agent requires more scopes, the
   * interceptor requests credentials with these scopes and retries the call once. If no requirement
   * can be satisfied, the call is sent without credentials.
   *
   * An interceptor stores the card of one client, so create an interceptor for each client.
   * Certificates belong to the connection, so `mtls` counts as satisfied. Keys in a query are not
   * sent over gRPC, which has no query.
   *
   * @param find - functions that find the credentials, by the name of the scheme in the card; a
   *   call throws a `TypeError` if the credentials are empty
   *
   * @example
   * const token = async ({ refused }) => (refused === undefined ? cached : await refresh());
   * const client = await connect(url, { interceptors: [withCredentials({ token })] });
   */
  withCredentials(
    find: Readonly<Record<string, FindCredentials>>,
    options?: CredentialsOptions,
  ): Interceptor;

  /**
   * Verifies a card. Returns the protected header of a valid signature, which contains the id of
   * the signer's key. If `connect` has fetched the card, its received form is checked.
   * @throws A `CardSignatureError` if no signature is valid, with the reason for each
   *   signature.
   */
  verifyCard(card: AgentCard, findKey: FindKey): Promise<SignatureHeader>;

  /**
   * Returns an interceptor for `connect` that checks the signatures of agent cards before they are
   * used: fetched cards, cards that are passed to `connect`, and extended agent cards. If the
   * policy does not accept a card, the call fails with a `CardSignatureError`.
   *
   * @example
   * const keys = keySet({ urls: ["https://agent.example/keys"] });
   * const client = await connect(url, { interceptors: [withVerifiedCards(keys)] });
   */
  withVerifiedCards(findKey: FindKey, options?: VerifiedCardsOptions): Interceptor;

  /**
   * Returns an interceptor that requests extensions with each call, and adds to each message the
   * values that their `activate` functions return. A message only gets values for extensions that
   * the agent card declares, unless the client has no card.
   *
   * An interceptor stores the card of one client, so create an interceptor for each client.
   *
   * @example
   * const client = await connect(url, { interceptors: [withExtensions([timestamp])] });
   */
  withExtensions(extensions: readonly ClientExtension[], options?: ExtensionsOptions): Interceptor;
}
