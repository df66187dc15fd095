const roles = {
  table_open: "table",
  thead_open: "rowgroup",
  tbody_open: "rowgroup",
  tr_open: "row",
  th_open: "columnheader",
  td_open: "cell",
};

/**
 * Gives each cell of a table with more than two columns the title of its column, except the first
 * cell, which is the title of its row. On a phone, cells stand below each other with these labels.
 * The roles keep the table a table for screen readers then.
 */
export function labelCells(md) {
  md.core.ruler.push("labels", ({ tokens }) => {
    let titles = [];
    let column = 0;
    for (const [index, token] of tokens.entries()) {
      const { type } = token;
      if (type in roles) token.attrSet("role", roles[type]);
      if (type === "table_open") titles = [];
      if (type === "th_open") titles.push(plain(tokens[index + 1]));
      if (type === "tr_open") column = 0;
      if (type !== "td_open") continue;
      if (column > 0 && titles.length > 2) token.attrSet("data-label", titles[column]);
      column += 1;
    }
  });
}

function plain({ children }) {
  return children.map(({ content }) => content).join("");
}
