import { z } from 'zod'
import { switchFrom } from './setting-types.ts'

/**
 * A switch for the sandbox, or the speed of its models: `real`, or times such as
 * `first-token=700,tokens=80,haiku.tokens=160,search=900` (milliseconds, tokens per second).
 */
export function sandboxOrPace() {
  const pace = z.strictObject({ ...speeds, models: z.record(z.string(), speed).optional() }, { error })
  return z.preprocess((value) => switchFrom(paceFrom(value)), z.union([z.boolean(), pace], { error }))
}

const error = `must be true, false, "real", or times such as first-token=700,tokens=80,haiku.tokens=160,search=900`
const time = z.number(error).min(0, error).max(600_000, error).optional()
const speeds = { firstTokenMs: time, tokensPerSecond: time, searchMs: time }
const speed = z.strictObject(speeds, { error })

/** About as fast as the models are. */
const real = { firstTokenMs: 700, tokensPerSecond: 80, searchMs: 900, models: { haiku: { tokensPerSecond: 160 } } }

const names: Readonly<Record<string, string>> = {
  'first-token': 'firstTokenMs',
  tokens: 'tokensPerSecond',
  search: 'searchMs',
}

/** Unreadable text is returned as it is; the schema then refuses it. */
function paceFrom(value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (value.trim() === 'real') return real
  const all: Record<string, number> = {}
  const models: Record<string, Record<string, number>> = {}
  for (const part of value.split(',')) {
    const [, model, name = '', number] = /^\s*(?:([\w-]+)\.)?([a-z-]+)\s*=\s*(\d+(?:\.\d+)?)\s*$/.exec(part) ?? []
    const field = names[name]
    if (field === undefined) return value
    if (model === undefined) all[field] = Number(number)
    else models[model] = { ...models[model], [field]: Number(number) }
  }
  return Object.keys(models).length > 0 ? { ...all, models } : all
}
