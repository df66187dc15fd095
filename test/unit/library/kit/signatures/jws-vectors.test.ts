import { describe, expect, it } from "vitest";
import {
  algorithmOf,
  encodedHeader,
  headerOf,
  importKey,
  isSignedWith,
} from "../../../../../library/kit/signatures/jws.js";
import {
  base64Url,
  signingInput,
  type JsonKey,
} from "../../../../../library/kit/signatures/jws.js";

/** The payload of RFC 7515, appendix A.1 to A.3, with its line breaks. */
const claims = '{"iss":"joe",\r\n "exp":1300819380,\r\n "http://example.com/is_root":true}';

interface Vector {
  readonly alg: string;
  readonly head: string;
  readonly payload: string;
  readonly key: JsonKey;
  readonly signature: string;
}

const vectors: readonly (readonly [source: string, vector: Vector])[] = [
  [
    "RFC 7515, appendix A.2",
    {
      alg: "RS256",
      head: "eyJhbGciOiJSUzI1NiJ9",
      payload: claims,
      key: {
        kty: "RSA",
        n:
          "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-p" +
          "CgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapH" +
          "g665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4" +
          "FRWyuXpoQ",
        e: "AQAB",
      },
      signature:
        "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1" +
        "dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzD" +
        "wusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe7" +
        "7Rw",
    },
  ],
  [
    "RFC 7515, appendix A.3",
    {
      alg: "ES256",
      head: "eyJhbGciOiJFUzI1NiJ9",
      payload: claims,
      key: {
        kty: "EC",
        crv: "P-256",
        x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
      },
      signature:
        "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q",
    },
  ],
  [
    "RFC 7515, appendix A.4",
    {
      alg: "ES512",
      head: "eyJhbGciOiJFUzUxMiJ9",
      payload: "Payload",
      key: {
        kty: "EC",
        crv: "P-521",
        x: "AekpBQ8ST8a8VcfVOTNl353vSrDCLLJXmPk06wTjxrrjcBpXp5EOnYG_NjFZ6OvLFV1jSfS9tsz4qUxcWceqwQGk",
        y: "ADSmRA43Z1DSNx_RvcLI87cdL07l6jQyyBXMoxVg_l2Th-x3S1WDhjDly79ajL4Kkd0AZMaZmh9ubmf63e3kyMj2",
      },
      signature:
        "AdwMgeerwtHoh-l192l60hp9wAHZFVJbLfD_UxMi70cwnZOYaRI1bKPWROc-mZZqwqT2SI-KGDKB34XO0aw_7XdtAG8GaSwFKdCAPZgoXD2YBJZCPE" +
        "X3xKpRwcdOO8KpEHwJjyqOgzDO7iKvU8vcnwNrmxYbSW9ERBXukOXolLzeO_Jn",
    },
  ],
  [
    "RFC 8037, appendix A.4",
    {
      alg: "EdDSA",
      head: "eyJhbGciOiJFZERTQSJ9",
      payload: "Example of Ed25519 signing",
      key: { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" },
      signature:
        "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg",
    },
  ],
];

describe.each(vectors)("the signature of %s", (_, { alg, head, payload, key, signature }) => {
  it("the signature is valid for its key", async () => {
    const imported = await importKey(key, alg, "verify");
    expect(
      await isSignedWith(imported, alg, { signature, input: signingInput(head, payload) }),
    ).toBe(true);
  });

  it("the signature is invalid for another payload, another header and other bytes", async () => {
    const imported = await importKey(key, alg, "verify");
    const changed = `${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`;
    const isValid = (one: string, input: ReturnType<typeof signingInput>) =>
      isSignedWith(imported, alg, { signature: one, input });
    expect(await isValid(signature, signingInput(head, `${payload} `))).toBe(false);
    expect(
      await isValid(signature, signingInput(base64Url(Uint8Array.of(123, 125)), payload)),
    ).toBe(false);
    expect(await isValid(changed, signingInput(head, payload))).toBe(false);
    expect(await isValid("", signingInput(head, payload))).toBe(false);
  });
});

describe("the signing input", () => {
  it("the signing input is the input of RFC 7515, appendix A.3", () => {
    expect(new TextDecoder().decode(signingInput("eyJhbGciOiJFUzI1NiJ9", claims))).toBe(
      "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ",
    );
  });
});

describe("a protected header", () => {
  it.each([
    ["RFC 7515, appendix A.1", "HS256"],
    ["RFC 7515, appendix A.5", "none"],
  ])("the protected header of %s is refused for its algorithm", (_, alg) => {
    expect(() => algorithmOf(alg)).toThrow(`"${alg}" is not an algorithm for signatures of cards`);
  });

  it.each([
    ["a parameter twice", '{"alg":"ES256","kid":"a","kid":"b"}', "unique names"],
    ["invalid UTF-8", "\xff", "JSON"],
    [
      "an extension that must be understood",
      '{"alg":"ES256","kid":"a","crit":["b64"]}',
      "requires an unsupported extension of JWS",
    ],
    [
      "an unencoded payload",
      '{"alg":"ES256","kid":"a","b64":false}',
      "requires an unsupported extension of JWS",
    ],
    ["no key id", '{"alg":"ES256"}', "must have `alg` and `kid`"],
  ])("a protected header with %s is refused", (_, json, reason) => {
    expect(() => headerOf(base64Url(Uint8Array.from(json, (unit) => unit.charCodeAt(0))))).toThrow(
      reason,
    );
  });

  it("a protected header is encoded without padding", () => {
    const header = {
      alg: "ES256",
      typ: "JOSE",
      kid: "key-1",
      jku: "https://example.com/agent/jwks.json",
    };
    // The example of the A2A specification.
    expect(encodedHeader(header)).toBe(
      "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpPU0UiLCJraWQiOiJrZXktMSIsImprdSI6Imh0dHBzOi8vZXhhbXBsZS5jb20vYWdlbnQvandrcy5qc29uIn0",
    );
    expect(headerOf(encodedHeader(header))).toEqual(header);
  });
});
