import { zValidator } from '@hono/zod-validator'
import type { Hono } from 'hono'
import type { z } from 'zod'
import type { AppEnvironment } from '../exchange/exchange.ts'
import { wrongInput } from '../http/validate.ts'
import type { OwnParts } from './own-parts.ts'

/** A route about this server itself, which neither searches nor reads pages. */
export interface OwnEndpoint {
  /** Absent: GET and HEAD. */
  readonly method?: 'POST' | 'DELETE' | undefined
  readonly reference: OwnReference
  /** Whether this csp has it; by default every csp has. */
  isHere?(parts: OwnParts): boolean
  /** Mounts it at all its paths. An open one runs before the key is checked. */
  mount(app: Hono<AppEnvironment>, paths: string[], parts: OwnParts): void
}

/** What the reference of the routes says of it. */
export interface OwnReference {
  readonly summary: string
  /** An example where it is JSON, otherwise the content type. */
  readonly reply: Readonly<Record<string, unknown>> | string
  readonly query?: z.ZodType | undefined
  /** Needs no key. */
  readonly isOpen?: true | undefined
  /** Besides 200. */
  readonly status?: Readonly<Record<number, string>> | undefined
}

/** Checks the query string. What is wrong is refused as everywhere else. */
export function validQuery<Schema extends z.ZodType>(schema: Schema) {
  type Input = z.input<Schema>
  type Output = z.output<Schema>
  type Checked = { in: { query: Input }; out: { query: Output } }
  return zValidator<Schema, 'query', AppEnvironment, string, typeof refuse, Input, Output, Checked>(
    'query',
    schema,
    refuse,
  )
}

type Outcome =
  | { readonly success: true }
  | { readonly success: false; readonly error: Pick<z.core.$ZodError, 'issues'>; readonly data: unknown }

function refuse(outcome: Outcome): void {
  if (!outcome.success) throw wrongInput(outcome.error.issues, outcome.data)
}
