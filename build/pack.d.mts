/** What npm reports of a packed package. */
export interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

/** Packs both packages into a folder, which is created. */
export function packAll(folder: string): {
  readonly generator: Packed;
  readonly library: Packed;
};
