// Writes dist/shelves: what each registry, store and package manager needs of the release in dist/release, with its
// checksums. `npm run shelves -- [--repository OWNER/NAME]`; without the flag, the repository of package.json.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { claudeCode } from './shelves/claude.ts'
import { factsOf, parseSums } from './shelves/facts.ts'
import { iconFiles } from './shelves/icons.ts'
import { shelfFiles } from './shelves/shelves.ts'

const root = join(import.meta.dir, '..')
const release = join(root, 'dist/release')
const out = join(root, 'dist/shelves')

/** Writes the files, and those that the repository itself has. Returns the paths below dist/shelves. */
export async function writeShelves(repository?: string): Promise<readonly string[]> {
  const sums = join(release, 'SHA256SUMS')
  const facts = factsOf(parseSums(existsSync(sums) ? readFileSync(sums, 'utf8') : ''), repository)
  const files = { ...shelfFiles(facts), ...(await iconFiles()) }
  rmSync(out, { recursive: true, force: true })
  writeFiles(files)
  // The image is built from the package.
  copyFileSync(join(release, facts.tarball), join(out, 'image', facts.tarball))
  writeFiles(claudeCode(facts), root)
  return Object.keys(files)
}

/** Writes files by their paths below a folder. */
export function writeFiles(files: Readonly<Record<string, string | Uint8Array>>, folder = out): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}

if (import.meta.main) {
  const { values } = parseArgs({ args: Bun.argv.slice(2), options: { repository: { type: 'string' } } })
  try {
    for (const path of await writeShelves(values.repository)) console.log(`dist/shelves/${path}`)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(1)
  }
}
