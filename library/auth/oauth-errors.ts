import * as oauth4webapi from "oauth4webapi";
import { TokenError } from "./token-error.js";

/**
 * Converts an error from `oauth4webapi` to a {@link TokenError} with a one-line message. Returns
 * any other error unchanged.
 *
 * @param action - the action that the issuer refused, such as `issue a token`
 */
export function tokenErrorOf(error: unknown, action: string): unknown {
  const refusal = refusalOf(error);
  if (refusal !== undefined) {
    const { code, description } = refusal;
    const reason = description === undefined ? code : `${code}: ${description}`;
    return new TokenError(`The issuer refused to ${action}: ${plain(reason)}`, {
      cause: error,
      code: plain(code),
    });
  }
  if (!(error instanceof oauth4webapi.OperationProcessingError)) return error;
  const { cause } = error;
  const reason = cause instanceof Error ? `${error.message}: ${cause.message}` : error.message;
  return new TokenError(`The response of the issuer is invalid: ${plain(reason)}`, {
    cause: error,
  });
}

/**
 * Returns the error code and description from the body or the challenge of an issuer's response.
 */
function refusalOf(
  error: unknown,
): { readonly code: string; readonly description: string | undefined } | undefined {
  if (
    error instanceof oauth4webapi.ResponseBodyError ||
    error instanceof oauth4webapi.AuthorizationResponseError
  )
    return { code: error.error, description: error.error_description };
  if (!(error instanceof oauth4webapi.WWWAuthenticateChallengeError)) return undefined;
  const { error: code = "invalid_client", error_description: description } =
    error.cause[0]?.parameters ?? {};
  return { code, description };
}

/**
 * Converts a string from an issuer to one line of at most 300 characters, so that the string cannot
 * forge log lines.
 */
export function plain(text: string): string {
  return text.replaceAll(/[^ -~]/g, " ").slice(0, 300);
}
