import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A certificate with its key, and the authority that issued it. */
export interface Certificate {
  readonly ca: string;
  readonly key: string;
  readonly cert: string;
}

/**
 * Creates an authority, a certificate for the server `localhost`, and a certificate for the client
 * `ada`. The files are in `folder` until the end of the test: `ca.pem`, `localhost.pem`,
 * `localhost.key`, `ada.pem` and `ada.key`.
 */
export function certificates(): {
  readonly folder: string;
  readonly server: Certificate;
  readonly client: Certificate;
} {
  const folder = mkdtempSync(join(tmpdir(), "certificates-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const run = (...args: string[]): unknown =>
    execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  run(
    "req",
    "-x509",
    ...curve,
    "-keyout",
    "ca.key",
    "-out",
    "ca.pem",
    "-subj",
    "/CN=ca",
    "-days",
    "1",
  );
  for (const name of ["localhost", "ada"]) {
    run("req", ...curve, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/CN=${name}`);
    run(
      ..."x509 -req -CA ca.pem -CAkey ca.key -CAcreateserial -days 1".split(" "),
      "-in",
      `${name}.csr`,
      "-out",
      `${name}.pem`,
    );
  }
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  const of = (name: string) => ({
    ca: read("ca.pem"),
    key: read(`${name}.key`),
    cert: read(`${name}.pem`),
  });
  return { folder, server: of("localhost"), client: of("ada") };
}
