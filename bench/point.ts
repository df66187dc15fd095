/** A measurement at one size. */
export interface Point {
  /** Name of the panel of the plot, as `plots.mjs` defines it. */
  readonly panel: string;
  /** Name of the line. */
  readonly series: string;
  /** The size, such as the number of tasks. */
  readonly x: number;
  /** The result, in the unit of the panel. */
  readonly y: number;
}
