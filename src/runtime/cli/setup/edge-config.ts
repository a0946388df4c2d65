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
  const [head = '', ...tables] = partsOf(config)
  const [theirHead = '', ...theirTables] = partsOf(earlier)
  const choices = theirTables.filter((table) => !neededTables.test(nameOf(table)))
  const names = new Set(choices.map(nameOf))
  const settings = [...head.matchAll(/^(\w+) = .*/gm)].reduce((text, [line, name = '']) => {
    const theirs = new RegExp(`^${name}\\s*=\\s*(?:\\[[^\\]]*\\]|.*)`, 'm')
    if (!theirs.test(text)) return `${text.trimEnd()}\n${line}\n`
    return neededSettings.has(name) ? text.replace(theirs, () => line) : text
  }, theirHead)
  const parts = [settings, ...tables.filter((table) => !names.has(nameOf(table))), ...choices]
  return parts.map((part) => `${part.trim()}\n`).join('\n')
}

/** The settings before the first table, then each table with the comments above it; all from `[vars]` on is one part. */
function partsOf(config: string): readonly string[] {
  const starts = [...config.matchAll(/^(?:#.*\n)*\[(?:vars\]$[\s\S]*)?/gm)].map(({ index }) => index)
  return [0, ...starts].map((start, order) => config.slice(start, starts[order]))
}

/** `observability` of `[observability]`. */
function nameOf(table: string): string {
  return /^\[\[?\s*([^\]\s]+)/m.exec(table)?.[1] ?? ''
}

const neededTables = /^(?:kv_namespaces|durable_objects\.bindings|migrations)$/
const neededSettings = new Set(['name', 'main', 'compatibility_date', 'compatibility_flags'])
