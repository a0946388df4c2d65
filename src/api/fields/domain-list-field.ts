import { z } from 'zod'
import { optional } from './field.ts'
import { domainField } from './place-field.ts'

/** A list of domains that may be left out. An empty one says the same: many clients send it. */
export function domainListField(maximum: number) {
  return optional(z.array(domainField).max(maximum)).transform((list) => (list?.length ? list : undefined))
}
