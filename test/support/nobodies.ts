/**
 * Values that name no user, as look-ups, conversions and environment variables that fail return
 * them.
 */
export const nobodies: readonly unknown[] = [
  undefined,
  null,
  false,
  "",
  NaN,
  0,
  { id: "" },
  { id: null, name: "ada" },
  { id: undefined },
];
