import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../../config/usage-error.ts'

/** What is the user's own in the configuration of the Worker. */
export interface EdgeChoice {
  /** The Worker's name, and the first part of its address. */
  readonly name: string
  /** Of the KV namespace. */
  readonly namespaceId: string
}

/** Stands for the id of a namespace that does not exist yet. */
export const noNamespace = '0'.repeat(32)

/** The `wrangler.toml` of this csp for one user's Worker; it may stand in any folder. Throws where the sources are not. */
export function edgeConfig({ name, namespaceId }: EdgeChoice): string {
  const root = join(import.meta.dir, '../../../..')
  const template = join(root, 'wrangler.toml')
  if (!existsSync(template)) {
    throw new UsageError('A compiled csp does not have the sources of the Worker. Use csp from npm or from a checkout.')
  }
  return readFileSync(template, 'utf8')
    .replace(/^name = .*$/m, `name = ${JSON.stringify(name)}`)
    .replace(/^main = "(.*)"$/m, (_, path: string) => `main = ${JSON.stringify(join(root, path))}`)
    .replace(noNamespace, namespaceId)
}

/** What the user changed in an earlier `wrangler.toml` of ours: its part from `[vars]` on. */
export function keepVars(config: string, earlier: string | undefined): string {
  const vars = /^\[vars\]$/m
  const kept = earlier?.split(vars)[1]
  return kept === undefined ? config : `${config.split(vars)[0]}[vars]${kept}`
}
