/** An output that is committed: its folder below generated/, and the options that it is generated with. */
export interface CommittedOutput {
  readonly folder: string;
  readonly spec: string;
  readonly aliases: "all" | "none";
  /** Other versions that the output has adapters for. */
  readonly versions?: readonly string[];
}

export declare const outputs: readonly CommittedOutput[];

/** A generated file. */
interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}

/** Returns the files of outputs with copies that the library also contains. */
export declare function filesOfLibrary(
  generate: (
    version: string,
    options?: { readonly aliases?: "none" },
  ) => Promise<readonly GeneratedFile[]>,
): Promise<readonly GeneratedFile[]>;
