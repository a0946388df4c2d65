import { z } from 'zod'
import { monitorEvents } from '../../../domain/monitor.ts'
import { optional, Rejection, textField } from '../../fields/field.ts'
import { exaSearchSchema } from './search.ts'

const units = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** Milliseconds in a period of one unit: `6h`. `undefined` for anything else, and where it is too short or too long. */
export function periodMs(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? []
  const ms = Number(digits) * units[(unit ?? 'm') as keyof typeof units]
  return ms >= units.h && ms <= 366 * units.d ? ms : undefined
}

const periodField = textField(
  (text) =>
    periodMs(text) === undefined
      ? new Rejection('value_error', 'Input should be a period of an hour or more, such as 1h, 6h, 1d or 7d')
      : text,
  'period: 1h, 6h, 1d, 7d',
)

/** What a monitor is made of. */
export const monitorSchema = z.object({
  name: optional(z.string().max(200)),
  search: exaSearchSchema.pick({
    query: true,
    numResults: true,
    includeDomains: true,
    excludeDomains: true,
    contents: true,
  }),
  trigger: optional(z.object({ type: optional(z.literal('interval')).default('interval'), period: periodField })),
  outputSchema: optional(z.record(z.string(), z.unknown())),
  metadata: optional(z.record(z.string().max(200), z.string().max(2000))),
  webhook: z.object({
    url: z.string(),
    events: optional(z.array(z.enum(monitorEvents.map((event) => `monitor.${event}` as const)))),
  }),
})

export type MonitorInput = z.output<typeof monitorSchema>

const part = z.looseObject({})

/** What may be changed of one. What is put together of the old and the new is checked as a new one is. */
export const monitorChanges = z.object({
  ...{ name: z.unknown().optional(), trigger: z.unknown().optional(), outputSchema: z.unknown().optional() },
  ...{ metadata: z.unknown().optional(), search: part.optional(), webhook: part.optional() },
  status: optional(z.enum(['active', 'paused', 'disabled'])),
})
