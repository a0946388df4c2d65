import { digestOf } from '../../../api/http/auth.ts'
import type { Limits } from '../../../executor/layers/metering/budget.ts'
import { changeKeyFile, readKeyFile } from '../../bun/keys/key-file.ts'
import { newKey } from '../../bun/keys/new-key.ts'
import { nearest } from '../../config/nearest.ts'
import { keyName, type StoredKey } from '../../config/stored-keys.ts'
import { UsageError } from '../../config/usage-error.ts'
import { type Command, exitCodes, type Invocation } from '../command.ts'

/** `csp keys`: who may ask. */
export const keys: Command = {
  name: 'keys',
  usage: 'add NAME|list|revoke NAME [FLAGS]',
  summary: 'Make, list and revoke the keys that clients send',
  details:
    'A key is shown once, when it is made; only its hash is kept, beside the configuration file. A csp that runs notices within a second. As soon as there is a key, csp asks for one on loopback too.',
  examples: ['csp keys add phone', 'csp keys add desk --per-minute 10 --per-day 200', 'csp keys revoke phone'],
  settings: [],
  options: [
    { flag: 'per-minute', hint: 'N', help: 'With add: searches that may begin within a minute' },
    { flag: 'per-day', hint: 'N', help: 'With add: searches of a UTC day' },
    { flag: 'tokens-per-day', hint: 'N', help: 'With add: tokens of a UTC day, as far as they are told' },
    { flag: 'json', help: 'Print JSON' },
  ],
  arguments: { minimum: 1, maximum: 2 },
  run: runKeys,
}

async function runKeys(invocation: Invocation): Promise<number> {
  const [action = '', name] = invocation.arguments
  const { options } = invocation
  if (action === 'add' && name !== undefined) return add(invocation, name)
  const misplaced = limitFlags.find((flag) => options[flag] !== undefined)
  if (misplaced && (action === 'list' || action === 'revoke')) {
    throw new UsageError(`--${misplaced} goes with csp keys add only.`)
  }
  if (action === 'list' && name === undefined) return list(invocation)
  if (action === 'revoke' && name !== undefined) return revoke(invocation, name)
  throw new UsageError('Usage: csp keys add NAME|list|revoke NAME')
}

async function add({ shell, loaded, options }: Invocation, name: string): Promise<number> {
  if (!keyName.test(name)) {
    throw new UsageError(
      `A key cannot be called ${JSON.stringify(name)}. Names have 1 to 64 of a-z, 0-9, dot, dash and underscore; key-1, key-2 and so on are those of --api-keys.`,
    )
  }
  const limits: Limits = {
    searchesPerMinute: limitOf(options, 'per-minute'),
    searchesPerDay: limitOf(options, 'per-day'),
    tokensPerDay: limitOf(options, 'tokens-per-day'),
  }
  const key = newKey()
  const made: StoredKey = { name, digest: await digestOf(key), created: new Date().toISOString(), limits }
  const { keyFile } = loaded.config
  await changeKeyFile(keyFile, (known) => {
    if (!known.some((other) => other.name === name)) return [...known, made]
    throw new UsageError(`There is a key called "${name}" already. csp keys revoke ${name} takes it away.`)
  })
  if (options['json']) {
    shell.output.write(`${JSON.stringify({ key, ...formatKey(made), file: keyFile })}\n`)
    return exitCodes.done
  }
  // The key alone, so that a script can take it as it is.
  shell.output.write(`${key}\n`)
  shell.errors.write(
    `This is the key "${name}". It is shown only now. Clients send it as "Authorization: Bearer KEY", "x-api-key" or "X-Subscription-Token".\n`,
  )
  return exitCodes.done
}

async function list({ shell, loaded, options }: Invocation): Promise<number> {
  const { keyFile, apiKeys } = loaded.config
  const known = await readKeyFile(keyFile)
  if (options['json']) {
    shell.output.write(`${JSON.stringify({ file: keyFile, keys: known.map(formatKey) })}\n`)
    return exitCodes.done
  }
  const width = Math.max(0, ...known.map(({ name }) => name.length))
  const lines = known.map(
    ({ name, created, limits }) => `${name.padEnd(width)}  ${created.slice(0, 10)}  ${limitsText(limits)}`,
  )
  const plain = apiKeys.length > 0 ? [`and ${apiKeys.length} of --api-keys, without names`] : []
  shell.output.write(`${[...(known.length > 0 ? lines : [`No keys in ${keyFile}`]), ...plain].join('\n')}\n`)
  return exitCodes.done
}

async function revoke({ shell, loaded, options }: Invocation, name: string): Promise<number> {
  const { keyFile } = loaded.config
  const left = await changeKeyFile(keyFile, (known) => {
    const others = known.filter((key) => key.name !== name)
    if (others.length < known.length) return others
    const names = known.map((key) => key.name)
    const meant = nearest(name, names)
    throw new UsageError(
      `There is no key "${name}". ${meant ? `Did you mean ${meant}?` : `There are: ${names.join(', ') || 'none'}.`}`,
    )
  })
  shell.output.write(
    options['json'] ? `${JSON.stringify({ revoked: name, left: left.length })}\n` : `Revoked "${name}".\n`,
  )
  if (left.length === 0) {
    shell.errors.write('That was the last one. A csp that runs now lets nobody in by name until it is started anew.\n')
  }
  return exitCodes.done
}

const limitFlags = ['per-minute', 'per-day', 'tokens-per-day'] as const

function limitOf(options: Invocation['options'], flag: (typeof limitFlags)[number]): number | undefined {
  const value = options[flag]
  if (value === undefined) return undefined
  const number = typeof value === 'string' && /^\d{1,12}$/.test(value) ? Number(value) : 0
  if (number < 1) throw new UsageError(`--${flag} must be a whole number of 1 or more, not ${JSON.stringify(value)}`)
  return number
}

function formatKey({ name, created, limits }: StoredKey) {
  return {
    name,
    created,
    per_minute: limits?.searchesPerMinute ?? null,
    per_day: limits?.searchesPerDay ?? null,
    tokens_per_day: limits?.tokensPerDay ?? null,
  }
}

function limitsText({ searchesPerMinute, searchesPerDay, tokensPerDay }: Limits = {}): string {
  const parts = [
    searchesPerMinute && `${searchesPerMinute} searches a minute`,
    searchesPerDay && `${searchesPerDay} searches a day`,
    tokensPerDay && `${tokensPerDay} tokens a day`,
  ]
  return parts.filter(Boolean).join(', ') || 'no limit'
}
