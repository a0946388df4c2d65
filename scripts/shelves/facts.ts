// What every shelf says of csp, once: from package.json, the account that publishes it and the files of a release.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { parseRepository } from '../../src/runtime/shell/distribution.ts'

export interface Facts {
  readonly name: string
  readonly version: string
  /** One sentence, with its full stop. */
  readonly description: string
  /** What fits where 50 characters are allowed. */
  readonly tagline: string
  readonly license: string
  readonly keywords: readonly string[]
  /** The least node that runs it, as a number. */
  readonly node: string
  readonly owner: string
  readonly url: string
  readonly image: string
  /** What npm has, as it lies in a release. */
  readonly tarball: string
  readonly mcpName: string
  readonly port: number
  /** Where a file of this release is downloaded. */
  download(file: string): string
  /** Its SHA-256. Throws if the release has no such file. */
  sum(file: string): string
}

const root = join(import.meta.dir, '../..')
const manifestSchema = z.object({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  license: z.string(),
  keywords: z.array(z.string()),
  engines: z.object({ node: z.string() }),
  repository: z.string().optional(),
})

/** Throws an `Error` that says what to do where the repository is not known yet. */
export function factsOf(sums: ReadonlyMap<string, string>, repository?: string): Facts {
  const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))
  const set = repository ?? manifest.repository
  if (!set) throw new Error('Name the repository: --repository OWNER/NAME, or once npm run repository -- OWNER/NAME.')
  const parsed = parseRepository(set)
  if (!parsed) throw new Error(`The repository must be OWNER/NAME, not ${JSON.stringify(set)}.`)
  const { name, version, description, license, keywords, engines } = manifest
  const { owner, url } = parsed
  return {
    name,
    version,
    description,
    tagline: 'Web search for your programs, by Claude Code',
    license,
    keywords,
    node: engines.node.replace(/\D/g, ''),
    owner,
    url,
    image: `ghcr.io/${owner}/${parsed.name}`.toLowerCase(),
    tarball: `${name}-${version}.tgz`,
    mcpName: mcpNameOf(owner, name),
    port: 52480,
    download: (file) => `${url}/releases/download/v${version}/${file}`,
    sum(file) {
      const found = sums.get(file)
      if (!found) throw new Error(`The release has no ${file}. Build it first: npm run release -- v${version}`)
      return found
    },
  }
}

/** The name in the registry of MCP, which takes it from those who have that account. */
export function mcpNameOf(owner: string, name: string): string {
  return `io.github.${owner}/${name}`
}

/** The lines of a file as sha256sum writes them. */
export function parseSums(text: string): ReadonlyMap<string, string> {
  return new Map(
    text
      .split('\n')
      .filter(Boolean)
      .map((line): [string, string] => [line.slice(66), line.slice(0, 64)]),
  )
}
