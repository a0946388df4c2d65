export interface TableOptions {
  /** From this column on, cells stand at the right, as numbers do. */
  readonly numbersFrom?: number | undefined
  /** A longer cell pushes on what follows it. */
  readonly maxWidth?: number | undefined
}

/** Rows as lines with equal columns. Cells are plain text. */
export function tableLines(rows: readonly (readonly string[])[], options: TableOptions = {}): readonly string[] {
  const { numbersFrom = Number.POSITIVE_INFINITY, maxWidth = Number.POSITIVE_INFINITY } = options
  const columns = Math.max(0, ...rows.map(({ length }) => length))
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.min(maxWidth, Math.max(...rows.map((row) => row[column]?.length ?? 0))),
  )
  const cell = (text: string, column: number) =>
    column < numbersFrom ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0)
  return rows.map((row) => row.map(cell).join('  ').trimEnd())
}
