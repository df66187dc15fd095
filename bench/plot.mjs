const size = { width: 760, height: 290 };
const box = { left: 44, right: 14, top: 74, bottom: 48 };

/** Lines differ in color and in dashes, for readers who do not see the colors. */
const dashes = ["none", "7 3", "2 3", "9 3 2 3"];
const light = {
  bg: "#fff",
  text: "#3c3c43",
  grid: "#e2e2e3",
  lines: ["#0072b2", "#b35900", "#00795c", "#8e4585"],
};
const dark = {
  bg: "#1b1b1f",
  text: "#dfdfd6",
  grid: "#3f4046",
  lines: ["#58a6ff", "#f0a04b", "#4fc3a1", "#d9a0d9"],
};

/**
 * Draws a plot as SVG, with one panel for each measure. The image has its own background, so that
 * it can be read on any page: the theme of a page may differ from the theme of the browser, which
 * an image follows.
 */
export function draw(plot, points) {
  const series = seriesOf(points);
  const width = size.width / plot.panels.length;
  const panels = plot.panels.map((panel, at) => {
    const own = points.filter((point) => point.panel === panel.name);
    return (
      "<g " +
      `transform="translate(${round(at * width)})">${drawPanel({ plot, panel, series, points: own, width })}</g>`
    );
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" ` +
      'role="img" font-family="system-ui, sans-serif" font-size="12">',
    `<title>${escape(`${plot.title}: ${plot.panels.map(titleOf).join("; ")}`)}</title>`,
    `<style>${styleOf(light)}@media (prefers-color-scheme: dark) ` +
      `{${styleOf(dark)}}${dashes.map((dash, at) => `.l${at} { stroke-dasharray: ${dash}; }`).join("")}</style>`,
    `<rect class="bg" width="${size.width}" height="${size.height}" rx="6"/>`,
    legendOf(series),
    ...panels,
    `</svg>`,
    "",
  ].join("\n");
}

/** Formats the points of a plot as a Markdown table with a column for each size. */
export function textOf(plot, points) {
  const sizes = sizesOf(points);
  const rows = plot.panels.flatMap((panel) =>
    seriesOf(points).flatMap((series) => {
      const own = points.filter((point) => point.panel === panel.name && point.series === series);
      if (own.length === 0) return [];
      const values = sizes.map((x) => own.find((point) => point.x === x)?.y);
      return [
        `| ${series}: ${titleOf(panel)} | ` +
          `${values.map((y) => (y === undefined ? "" : number(y))).join(" | ")} |`,
      ];
    }),
  );
  return [
    `| ${plot.x} | ${sizes.map((x) => x.toLocaleString("en")).join(" | ")} |`,
    `| --- |${sizes.map(() => " ---: |").join("")}`,
    ...rows,
  ].join("\n");
}

const titleOf = ({ title, unit }) => `${title}, ${unit}`;
const seriesOf = (points) => [...new Set(points.map(({ series }) => series))];
const sizesOf = (points) =>
  [...new Set(points.map(({ x }) => x))].sort((one, other) => one - other);
const round = (value) => Math.round(value * 10) / 10;
const short = (value) =>
  value.toLocaleString("en", { notation: "compact", maximumSignificantDigits: 3 });
const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** Formats a number with three significant digits, or as a whole number. */
function number(value) {
  return value.toLocaleString(
    "en",
    value < 100 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 0 },
  );
}

function styleOf({ bg, text, grid, lines }) {
  const colors = lines.map(
    (color, at) => `.l${at} { stroke: ${color}; } .p${at} { fill: ${color}; }`,
  );
  return (
    `.bg { fill: ${bg}; } text { fill: ${text}; } .grid { stroke: ${grid}; } ${colors.join(" ")} ` +
    "path { fill: none; stroke-width: 2; }"
  );
}

function legendOf(series) {
  const width = 160;
  return series
    .map((name, at) => {
      const x = box.left + at * width;
      return (
        `<path class="l${at}" d="M${x} 22h26"/><circle class="p${at}" cx="${x + 13}" cy="22" ` +
        `r="3"/><text x="${x + 33}" y="26">${escape(name)}</text>`
      );
    })
    .join("");
}

/** Draws the axes and lines of a panel. Its left edge is at 0. */
function drawPanel({ plot, panel, series, points, width }) {
  const across = { from: box.left, to: width - box.right };
  const up = { from: size.height - box.bottom, to: box.top };
  const sizes = sizesOf(points);
  const marks = plot.isLinear ? linearMarks(points) : decades(points);
  const placeOf = plot.isLinear ? linear : logarithmic;
  const x = placeOf(sizes, across);
  const y = placeOf(marks, up);
  const grid = marks.map(
    (mark) =>
      `<path class="grid" d="M${across.from} ${y(mark)}H${round(across.to)}"/><text ` +
      `x="${across.from - 6}" y="${round(y(mark) + 4)}" text-anchor="end">${short(mark)}</text>`,
  );
  const labels = sizes.map(
    (value) =>
      `<text x="${x(value)}" y="${up.from + 18}" text-anchor="middle">${short(value)}</text>`,
  );
  const lines = series.map((name, at) => {
    const own = points
      .filter((point) => point.series === name)
      .sort((one, other) => one.x - other.x);
    if (own.length === 0) return "";
    const path = own.map((point) => `${x(point.x)} ${y(point.y)}`).join("L");
    const dots = own.map(
      (point) => `<circle class="p${at}" cx="${x(point.x)}" cy="${y(point.y)}" r="3"/>`,
    );
    return `<path class="l${at}" d="M${path}"/>${dots.join("")}`;
  });
  const middle = round((across.from + across.to) / 2);
  return [
    `<text x="8" y="${box.top - 22}" font-weight="600">${escape(titleOf(panel))}</text>`,
    ...grid,
    ...labels,
    `<text x="${middle}" y="${size.height - 10}" text-anchor="middle">${escape(plot.x)}</text>`,
    ...lines,
  ].join("");
}

/**
 * Returns a function that maps values, from the first to the last mark, to the range between two
 * coordinates.
 */
function linear(marks, { from, to }) {
  const [least, most] = [marks[0] ?? 0, marks.at(-1) ?? 1];
  const span = most - least;
  return (value) =>
    round(span === 0 ? (from + to) / 2 : from + ((value - least) / span) * (to - from));
}

function logarithmic(marks, range) {
  const place = linear(marks.map(Math.log10), range);
  return (value) => place(Math.log10(value));
}

/** Returns the powers of ten around all values. */
function decades(points) {
  const logs = points.map(({ y }) => Math.log10(y));
  const least = Math.floor(Math.min(...logs));
  const most = Math.max(Math.ceil(Math.max(...logs)), least + 1);
  return Array.from({ length: most - least + 1 }, (_, at) => 10 ** (least + at));
}

/** Returns about five round numbers from 0 to above all values. */
function linearMarks(points) {
  const most = Math.max(...points.map(({ y }) => y));
  const unit = 10 ** Math.floor(Math.log10(most / 4));
  const step =
    [1, 2, 5, 10].map((factor) => factor * unit).find((each) => each * 4 >= most) ?? most;
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, at) => at * step);
}
