import type { Path } from '../config/json-edits.ts'

/** How a client writes its configuration. Comments and everything else in a text stay when a value is set. */
export interface FileFormat {
  /** What its text has to be. */
  readonly kind: string
  /** Its empty configuration. */
  readonly empty: string
  /** `undefined` for a text with an error. */
  parse(text: string): unknown
  /** Sets a value, or removes it where it is `undefined`. */
  set(text: string, path: Path, value: unknown): string
}
