import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Limits } from '../../../executor/layers/metering/budget.ts'
import { percent } from '../../config/setting-types.ts'
import { flagOf } from '../../config/settings.ts'
import { keyName, type StoredKey } from '../../config/stored-keys.ts'
import { meant, UsageError } from '../../config/usage-error.ts'
import { addKey, changeKeyFile, readKeyFile } from '../../server/key-file.ts'
import { refuseOpenAddress } from '../../server/server.ts'
import { linesText, tableLines } from '../../shell/printed.ts'
import { csp } from '../../shell/program.ts'
import { wrapped } from '../../shell/wrapped-text.ts'
import { defineCommand, exitCodes, type Invocation, type OptionDefinitions, wholeNumber } from '../command.ts'
import { askYesOrNo } from '../confirm.ts'
import { type ServingCsp, servingCsp } from './serving.ts'

const definitions = {
  perMinute: { hint: 'N', parse: wholeNumber(1), help: 'With add: most searches that start within a minute' },
  perDay: { hint: 'N', parse: wholeNumber(1), help: 'With add: most searches in a UTC day' },
  tokensPerDay: {
    hint: 'N',
    parse: wholeNumber(1),
    help: 'With add: most tokens in a UTC day, as far as backends report them',
  },
  planReserve: {
    hint: 'PERCENT',
    parse: parsePercent,
    help: "With add: part of each limit of Claude's plan that this key may not use",
  },
  noQr: { help: 'With add: show no QR code' },
  json: { help: 'Print JSON' },
} satisfies OptionDefinitions

/** `csp keys`: the named keys of clients. */
export const keys = defineCommand({
  name: 'keys',
  usage: '[add NAME|list|revoke NAME] [FLAGS]',
  details:
    'A key is shown once, when it is made. csp keeps only its hash, beside the configuration file. A running csp accepts a new key at once. As soon as there is a key, csp requires one on loopback too. On a terminal, add shows a QR code that opens the page with the key on a phone.',
  examples: [`${csp} keys add phone`, `${csp} keys add desk --per-minute 10 --per-day 200`, `${csp} keys revoke phone`],
  options: definitions,
  words: { add: [], list: [], revoke: [] },
  arguments: { minimum: 0, maximum: 2 },
  run: runKeys,
})

async function runKeys(invocation: Invocation<typeof definitions>): Promise<number> {
  const [action = 'list', name] = invocation.arguments
  const { options } = invocation
  if (action === 'add' && name !== undefined) return add(invocation, name)
  const limits = (['perMinute', 'perDay', 'tokensPerDay', 'planReserve'] as const).filter(
    (limit) => options[limit] !== undefined,
  )
  const misplaced = options.noQr ? 'noQr' : limits[0]
  if (misplaced && (action === 'list' || action === 'revoke')) {
    throw new UsageError(`--${flagOf(misplaced)} goes with ${csp} keys add only.`)
  }
  if (action === 'list' && name === undefined) return list(invocation)
  if (action === 'revoke' && name !== undefined) return revoke(invocation, name)
  throw new UsageError(`Usage: ${csp} keys add NAME|list|revoke NAME`)
}

async function add(invocation: Invocation<typeof definitions>, name: string): Promise<number> {
  const { shell, loaded, options } = invocation
  if (!keyName.test(name)) {
    throw new UsageError(
      `A key cannot be called ${JSON.stringify(name)}. Names have 1 to 64 of a-z, 0-9, dot, dash and underscore; key-1, key-2 and so on are those of --api-keys.`,
    )
  }
  const limits: Limits = {
    searchesPerMinute: options.perMinute,
    searchesPerDay: options.perDay,
    tokensPerDay: options.tokensPerDay,
    planReserve: options.planReserve,
  }
  const { keyFile, apiKeys } = loaded.config
  const { key, made } = await addKey(keyFile, name, limits)
  const isFirst = apiKeys.length === 0 && (await readKeyFile(keyFile)).length === 1
  // Also to a script: whoever had no key is locked out from now on.
  if (isFirst) shell.errors.write(`${firstKey}\n`)
  if (options.json) {
    shell.output.write(`${JSON.stringify({ key, ...formatKey(made), file: keyFile })}\n`)
    return exitCodes.done
  }
  // The key alone, so that a script can take it as it is.
  shell.output.write(`${key}\n`)
  shell.errors.write(
    `This is the key "${name}". It is shown only now. Clients send it as "Authorization: Bearer KEY", "x-api-key" or "X-Subscription-Token".\n`,
  )
  // Whoever watches the terminal sees the key as it is.
  if (shell.output.isTerminal && shell.errors.isTerminal && !options.noQr) {
    const { offerPhone } = await import('./phone.ts')
    await offerPhone(key, invocation)
  }
  return exitCodes.done
}

const firstKey = `This is the first key. From now on csp requires one on this machine too: its page asks for it, and ${csp} setup CLIENT gives each program here its own. To undo that: ${csp} keys revoke NAME, then ${csp} restart.`

async function list({ shell, loaded, options }: Invocation<typeof definitions>): Promise<number> {
  const { keyFile, apiKeys } = loaded.config
  const known = await readKeyFile(keyFile)
  if (options.json) {
    shell.output.write(`${JSON.stringify({ file: keyFile, keys: known.map(formatKey) })}\n`)
    return exitCodes.done
  }
  const lines = tableLines(known.map(({ name, created, limits }) => [name, created.slice(0, 10), limitsText(limits)]))
  const plain = apiKeys.length > 0 ? [`and ${apiKeys.length} of --api-keys, without names`] : []
  const none = [`No keys in ${keyFile}. ${csp} keys add NAME makes one.`]
  shell.output.write(wrapped(linesText([...(known.length > 0 ? lines : none), ...plain]), shell.output))
  return exitCodes.done
}

async function revoke(invocation: Invocation<typeof definitions>, name: string): Promise<number> {
  const { shell, loaded, options } = invocation
  const { keyFile, apiKeys } = loaded.config
  const known = await readKeyFile(keyFile)
  const isLast = apiKeys.length === 0 && known.length === 1 && known[0]?.name === name
  const consequence = isLast ? afterLastKey(await servingCsp(invocation)) : ''
  // A script goes on: a key that is revoked may have leaked.
  const ask = isLast && !options.json
  const isWanted = ask ? await askYesOrNo(shell, `${consequence}\nRevoke it?`, { usual: 'no' }) : undefined
  if (isWanted === false) {
    shell.errors.write('Nothing was changed.\n')
    return exitCodes.failed
  }
  const left = await changeKeyFile(keyFile, (known) => {
    const others = known.filter((key) => key.name !== name)
    if (others.length < known.length) return others
    const names = known.map((key) => key.name)
    throw new UsageError(
      `There is no key "${name}". ${meant(name, names, names.length > 0 ? `The keys are: ${names.join(', ')}.` : 'There are no keys.')}`,
    )
  })
  shell.output.write(
    options.json ? `${JSON.stringify({ revoked: name, left: left.length })}\n` : `Revoked "${name}".\n`,
  )
  if (existsSync(join(dirname(keyFile), 'edge', 'wrangler.toml'))) {
    shell.errors.write(`An edge that has this key keeps it until ${csp} setup edge is run again.\n`)
  }
  if (isLast && isWanted === undefined) shell.errors.write(`${consequence}\n`)
  return exitCodes.done
}

/** The consequences of revoking the last key, and the way to admit clients again. */
export function afterLastKey({ running, config }: ServingCsp): string {
  const isOpen = servesWithoutKeys(config)
  if (!running) {
    return `This is the last key. The next ${csp} start ${isOpen ? 'serves this machine without keys' : `fails until there is another: ${csp} keys add NAME`}.`
  }
  return [
    `This is the last key. csp at ${running.url} still requires a key, and so refuses all clients.`,
    `To let clients in again: ${csp} keys add NAME, which takes effect at once.`,
    isOpen ? `Or ${csp} restart, to serve this machine without keys.` : 'Without a key csp does not start again there.',
  ].join('\n')
}

function servesWithoutKeys(config: Parameters<typeof refuseOpenAddress>[0]): boolean {
  try {
    refuseOpenAddress(config, [])
    return true
  } catch (error) {
    if (error instanceof UsageError) return false
    throw error
  }
}

function formatKey({ name, created, limits }: StoredKey) {
  return {
    name,
    created,
    per_minute: limits?.searchesPerMinute ?? null,
    per_day: limits?.searchesPerDay ?? null,
    tokens_per_day: limits?.tokensPerDay ?? null,
    plan_reserve: limits?.planReserve ?? null,
  }
}

function limitsText({ searchesPerMinute, searchesPerDay, tokensPerDay, planReserve }: Limits = {}): string {
  const parts = [
    searchesPerMinute && `${searchesPerMinute} searches a minute`,
    searchesPerDay && `${searchesPerDay} searches a day`,
    tokensPerDay && `${tokensPerDay} tokens a day`,
    planReserve && `leaves ${planReserve}% of the plan`,
  ]
  return parts.filter(Boolean).join(', ') || 'no limit'
}

function parsePercent(value: string, flag: string): number {
  const found = percent(100).safeParse(value)
  if (found.success) return found.data
  throw new UsageError(`--${flag} must be a part such as 40%, not ${JSON.stringify(value)}`)
}
