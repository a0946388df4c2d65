import { fit } from './terminal.ts'

/** A value as JSON that people can read. */
export function prettyJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** Each line with its end. */
export function linesText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}

interface TableOptions {
  /** From this column on, cells stand at the right, as numbers do. */
  readonly numbersFrom?: number | undefined
  /** A longer cell pushes on what follows it. */
  readonly maxWidth?: number | undefined
}

/** Rows with equal columns, no line longer than the terminal is wide. */
export function tableText(rows: readonly (readonly string[])[], columns = Number.POSITIVE_INFINITY): string {
  return linesText(tableLines(rows).map((line) => (Number.isFinite(columns) ? fit(line, columns) : line)))
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
