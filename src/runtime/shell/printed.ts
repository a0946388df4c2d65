import { tableLines } from './table.ts'
import { fit } from './terminal.ts'

/** A value as JSON that people can read. */
export function prettyJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** Each line with its end. */
export function linesText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}

/** Rows with equal columns, no line longer than the terminal is wide. */
export function tableText(rows: readonly (readonly string[])[], columns = Number.POSITIVE_INFINITY): string {
  return linesText(tableLines(rows).map((line) => (Number.isFinite(columns) ? fit(line, columns) : line)))
}
