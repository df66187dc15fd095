import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { rootCertificates } from "node:tls";
import { trustIn, type Trust } from "a2a-codegen-runtime/internal/client";
import * as core from "../agents/index.js";
import { usage } from "./errors.js";
import { secretOf } from "./secrets.js";
import type { Environment, Settings } from "./settings.js";

/** TLS options in PEM. */
export interface Tls {
  /** Certificates of the trusted authorities; the authorities of Node by default. */
  readonly ca?: string;
  /** Client certificate with its chain. */
  readonly cert?: string;
  readonly key?: string;
}

/** TLS options of gRPC. */
export interface GrpcSecurity {
  /** Whether to skip the verification of certificates. */
  readonly isInsecure?: boolean;
  readonly tls?: Tls | undefined;
  /** Returns whether an address receives the client certificate. */
  readonly isTrusted?: Trust;
}

/** Reads the files of `--cacert`, `--cert` and `--key`; `undefined` without these options. */
export async function tlsOf(
  settings: Settings,
  environment: Environment,
): Promise<Tls | undefined> {
  const caPath = settings.text("cacert");
  const certPath = settings.text("cert");
  if (certPath === undefined && settings.text("key") !== undefined)
    throw usage("--key requires --cert", "Pass the certificate of the key");
  if (caPath === undefined && certPath === undefined) return undefined;
  const authorities =
    caPath === undefined ? undefined : certificatesIn("cacert", caPath, environment);
  return {
    // Agents may also redirect to a host with a public certificate.
    ...(authorities !== undefined && { ca: [...rootCertificates, authorities].join("\n") }),
    ...(certPath !== undefined && (await clientCertificate(certPath, settings, environment))),
  };
}

/**
 * Returns a function that determines whether an address may receive the client certificate. The
 * rules are the same as for other credentials.
 */
export function trustOf(settings: Settings): Trust {
  const [asked] = core.cardUrls(settings.text("agent-card") ?? "");
  // All interfaces in a card that the user has as a file are trusted.
  return asked === undefined ? () => true : trustIn([asked, ...settings.list("origin")]);
}

/** Returns the options for an address. Only a trusted address receives the client certificate. */
export function tlsFor({ ca, cert, key }: Tls, isTrusted: boolean): Tls {
  return { ...(ca !== undefined && { ca }), ...(isTrusted && cert !== undefined && { cert, key }) };
}

async function clientCertificate(
  path: string,
  settings: Settings,
  environment: Environment,
): Promise<{ readonly cert: string; readonly key: string }> {
  const cert = certificatesIn("cert", path, environment);
  const keyPath = settings.text("key") ?? path;
  const text = textIn("key", keyPath, environment);
  const secret = settings.text("key-passphrase");
  const passphrase =
    secret === undefined ? undefined : await secretOf("key-passphrase", secret, environment);
  const key = privateKey(text, keyPath, passphrase);
  if (!new X509Certificate(cert).checkPrivateKey(key))
    throw usage(
      `--key: "${keyPath}" is not the key of the certificate "${path}"`,
      "Check both paths",
    );
  // gRPC does not support encrypted keys.
  return { cert, key: key.export({ type: "pkcs8", format: "pem" }).toString() };
}

function privateKey(
  text: string,
  path: string,
  passphrase: string | undefined,
): ReturnType<typeof createPrivateKey> {
  try {
    return createPrivateKey({ key: text, ...(passphrase !== undefined && { passphrase }) });
  } catch {
    const isEncrypted = text.includes("ENCRYPTED");
    if (isEncrypted)
      throw usage(
        `--key: "${path}" cannot be decrypted`,
        "Set its passphrase in A2ACLI_KEY_PASSPHRASE",
      );
    throw usage(`--key: "${path}" contains no private key`, "Pass a private key in PEM with --key");
  }
}

function certificatesIn(option: string, path: string, environment: Environment): string {
  const text = textIn(option, path, environment);
  try {
    new X509Certificate(text);
    return text;
  } catch {
    throw usage(`--${option}: "${path}" contains no certificate`, "Pass certificates in PEM");
  }
}

function textIn(option: string, path: string, { cwd }: Environment): string {
  try {
    return readFileSync(resolve(cwd, path), "utf8");
  } catch {
    throw usage(`--${option}: the file "${path}" cannot be read`, "Check the path");
  }
}
