import type { Point } from "./point.js";

/** A plot of measurements at growing sizes. */
export interface Plot {
  readonly title: string;
  /** Title of the axis with the sizes. */
  readonly x: string;
  /** Whether the axes are linear. By default, they are logarithmic. */
  readonly isLinear?: boolean;
  readonly panels: readonly {
    readonly name: string;
    readonly title: string;
    readonly unit: string;
  }[];
}

/** Draws a plot as SVG. */
export function draw(plot: Plot, points: readonly Point[]): string;

/** Formats the points of a plot as a Markdown table. */
export function textOf(plot: Plot, points: readonly Point[]): string;
