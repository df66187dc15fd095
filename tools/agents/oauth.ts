import type { SecurityScheme } from "../../generated/1.0/models.js";

/** Returns whether a scheme accepts access tokens from an issuer. */
export function isOAuth(scheme: SecurityScheme): boolean {
  return (
    scheme.oauth2SecurityScheme !== undefined || scheme.openIdConnectSecurityScheme !== undefined
  );
}

/** Ways to sign in. */
export type SignInFlow = "code" | "device" | "client-credentials";

/** Returns whether a scheme in the card contains the endpoints of its issuer. */
function namesEndpoints({
  oauth2SecurityScheme: scheme,
  openIdConnectSecurityScheme: connect,
}: SecurityScheme): boolean {
  const url = connect?.openIdConnectUrl ?? scheme?.oauth2MetadataUrl ?? "";
  const { authorizationCode, clientCredentials, deviceCode } = scheme?.flows ?? {};
  return (
    url !== "" || (authorizationCode ?? clientCredentials ?? deviceCode)?.tokenUrl !== undefined
  );
}

/**
 * Returns options for `oauth` that trust an issuer. The user passes the URL of the issuer. The
 * endpoints come from the card if they have the same origin, and otherwise from the metadata of the
 * issuer.
 */
export function trustOptions(
  scheme: SecurityScheme,
  issuer: string,
): { issuer: string } | { trustedOrigins: [string] } {
  return namesEndpoints(scheme) && new URL(issuer).pathname === "/"
    ? { trustedOrigins: [issuer] }
    : { issuer };
}

/** Returns the flow for a scheme: a browser, unless the card only declares device codes. */
export function flowFor({ oauth2SecurityScheme: scheme }: SecurityScheme): SignInFlow {
  const { authorizationCode, deviceCode, clientCredentials } = scheme?.flows ?? {};
  if (authorizationCode !== undefined) return "code";
  if (deviceCode !== undefined) return "device";
  return clientCredentials === undefined ? "code" : "client-credentials";
}
