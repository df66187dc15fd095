import {
  assertMessageSendParams,
  AuthenticatedExtendedCardNotConfiguredError,
  isTaskQueryParams,
  parsePushNotificationAuthenticationInfo,
  PushNotificationConfigSchema,
  type A2AService,
  type Message,
  type MessageSendParams,
  type PushNotificationAuthenticationInfo,
  type Security,
  type SendMessageSuccessResponse,
  type TaskQueryParams,
  validateTaskResubscriptionRequest,
} from "../../../generated/1.1-draft/index.js";
import {
  decodeTaskSubscriptionRequest,
  encodeMessageSendParams,
} from "../../../generated/1.1-draft/legacy-protobuf.js";

/**
 * Code that users wrote before names changed: it must compile, and each line after an expectation
 * must not.
 */
export function paramsOf(message: Message): MessageSendParams {
  const params: MessageSendParams = { message };
  assertMessageSendParams(params);
  return params;
}

export function historyOf(value: unknown): number | undefined {
  return isTaskQueryParams(value) ? value.historyLength : undefined;
}

export const bytesOf = (params: MessageSendParams): Uint8Array => encodeMessageSendParams(params);
export const idOf = (bytes: Uint8Array): string => decodeTaskSubscriptionRequest(bytes).id;
export const taskOf = (value: unknown): string | undefined =>
  validateTaskResubscriptionRequest(value).value?.id;
export const schemeOf = (value: unknown): string =>
  parsePushNotificationAuthenticationInfo(value).scheme;
export const schemes = (security: Security): string[] => Object.keys(security.schemes ?? {});
export const isGood = (value: unknown): boolean =>
  !(PushNotificationConfigSchema["~standard"].validate(value).issues instanceof Array);

export function service(
  response: SendMessageSuccessResponse,
  queries: TaskQueryParams[],
): A2AService {
  return {
    sendMessage: () => response,
    getTask(query) {
      queries.push(query);
      throw new AuthenticatedExtendedCardNotConfiguredError();
    },
  };
}

// @ts-expect-error An old name comes with the new shape: one scheme, and no list.
export const authentication: PushNotificationAuthenticationInfo = { schemes: ["Bearer"] };
