import type { Frame } from '../../dialect.ts'

/** The events of a streamed response: named, and numbered from 0 without a gap. */
export class NumberedEvents {
  #next = 0

  event(type: string, fields: Readonly<Record<string, unknown>>): Frame {
    return numberedEvent(type, fields, this.#next++)
  }
}

/** One such event, whose number is known. */
export function numberedEvent(type: string, fields: Readonly<Record<string, unknown>>, sequence: number): Frame {
  return { event: type, data: JSON.stringify({ type, sequence_number: sequence, ...fields }) }
}
