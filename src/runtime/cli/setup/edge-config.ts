import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../../config/usage-error.ts'
import { packageRoot } from '../../shell/package-root.ts'

/** The user's part of the Worker's configuration. */
export interface EdgeChoice {
  /** The Worker's name, and the first part of its address. */
  readonly name: string
  /** The id of the KV namespace. */
  readonly namespaceId: string
}

/** Placeholder for the id of a namespace that does not exist yet. */
export const noNamespace = '0'.repeat(32)

/** The `wrangler.toml` of this csp for one user's Worker; it works in any folder. Throws if the sources are missing. */
export function edgeConfig({ name, namespaceId }: EdgeChoice): string {
  const template = join(packageRoot, 'wrangler.toml')
  if (!existsSync(template)) {
    throw new UsageError('A compiled csp does not have the sources of the Worker. Use csp from npm or from a checkout.')
  }
  return readFileSync(template, 'utf8')
    .replace(/^name = .*$/m, `name = ${JSON.stringify(name)}`)
    .replace(/^main = "(.*)"$/m, (_, path: string) => `main = ${JSON.stringify(join(packageRoot, path))}`)
    .replace(noNamespace, namespaceId)
}

/**
 * A new configuration with what the user changed in an earlier one: settings of the Worker such as `routes`,
 * `workers_dev` or `[observability]`, tables of their own, and all from `[vars]` on. What csp needs is always that of the
 * new one: the code, the bindings, the migrations.
 */
export function keepChoices(config: string, earlier: string | undefined): string {
  if (earlier === undefined) return config
  const [ours, ourVars] = atVars(config)
  const [theirs, theirVars] = atVars(earlier)
  const [head = '', ...tables] = partsOf(ours)
  const [theirHead = '', ...theirTables] = partsOf(theirs)
  const choices = theirTables.filter((table) => !isNeeded(nameOf(table)))
  const names = new Set(choices.map(nameOf))
  const settings = new Map(settingsOf(theirHead).filter(([name]) => !neededSettings.has(name)))
  const kept = settingsOf(head).reduce((text, [name, line]) => {
    const own = settings.get(name)
    settings.delete(name)
    return own === undefined ? text : text.replace(line, () => own)
  }, head)
  const added = [...settings.values()].map((line) => `${line}\n`).join('')
  const parts = [kept, ...tables.filter((table) => !names.has(nameOf(table)))]
  const whole = [`${parts[0]?.trimEnd()}\n${added}`, ...parts.slice(1).map(trimmed), ...choices.map(trimmed)]
  return `${whole.join('\n')}\n${theirVars || ourVars}`
}

/** What stands before `[vars]`, and the rest. */
function atVars(config: string): readonly [string, string] {
  const at = config.search(/^\[vars\]$/m)
  if (at < 0) return [config, '']
  const comments = /(?<=^|\n)(?:#[^\n]*\n)*$/.exec(config.slice(0, at))
  const start = comments?.index ?? at
  return [config.slice(0, start), config.slice(start)]
}

/** The settings before the first table, then each table with the comments above it. */
function partsOf(config: string): readonly string[] {
  const starts = [...config.matchAll(/^(?:#.*\n)*\[/gm)].map(({ index }) => index)
  return [0, ...starts].map((start, order) => config.slice(start, starts[order]))
}

function trimmed(part: string): string {
  return `${part.trim()}\n`
}

/** `observability` of `[observability]`. */
function nameOf(table: string): string {
  return /^\[\[?\s*([^\]\s]+)/m.exec(table)?.[1] ?? ''
}

/** Each setting's name with its whole text, which may have several lines. */
function settingsOf(head: string): readonly (readonly [string, string])[] {
  return [...head.matchAll(/^([\w-]+)\s*=\s*(?:\[\s*\n[\s\S]*?\n\]|.*)/gm)].map(([text, name = '']) => [name, text])
}

function isNeeded(table: string): boolean {
  return /^(kv_namespaces|durable_objects\.bindings|migrations)$/.test(table)
}

const neededSettings = new Set(['name', 'main', 'compatibility_date', 'compatibility_flags'])
