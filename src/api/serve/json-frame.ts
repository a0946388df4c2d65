import type { Frame } from '../dialect.ts'

/** An event without a name, whose data is JSON. */
export function jsonFrame(body: unknown): Frame {
  return { data: JSON.stringify(body) }
}
