import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** What starts a process, a browser or workerd; a file may also say so itself, in a comment. */
const startsProcesses =
  /\bBun\.spawn|\bnode:child_process'|\bfrom 'miniflare'|\bplaywright-core'|\bStdioClientTransport\b|\bopenPageReader\b|\/real-claude\.ts'|^\/\/ Starts processes/m

/**
 * The test files that start no process, and neither does a helper of theirs; without those of clients from npm, and
 * without those that keep a core busy for half a minute.
 */
export function unitFiles() {
  const known = new Map()
  const starts = (file) => {
    if (known.has(file)) return known.get(file)
    known.set(file, false)
    const text = readFileSync(join(root, file), 'utf8')
    const imports = Array.from(text.matchAll(/(?:from|import) '(\.[^']*\.tsx?)'/g), ([, path]) =>
      join(dirname(file), path),
    )
    const result =
      startsProcesses.test(text) ||
      imports.some((path) => path.startsWith('tests/') && existsSync(join(root, path)) && starts(path))
    known.set(file, result)
    return result
  }
  const folders = ['docs', 'edge', 'end-to-end', 'faults', 'integrations', 'security']
  return readdirSync(join(root, 'tests'), { recursive: true })
    .map((file) => `tests/${file.replaceAll('\\', '/')}`)
    .filter(
      (file) =>
        file.endsWith('.test.ts') &&
        !/\/worst-letters\.test\.ts$|clients\.test\.ts$/.test(file) &&
        !folders.some((folder) => file.startsWith(`tests/${folder}/`)) &&
        !starts(file),
    )
    .sort()
}
