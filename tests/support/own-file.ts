import { readFileSync } from 'node:fs'

/** The file of this project that an import in `from` names; `undefined` for a library from npm. */
export function ownFile(specifier: string, from: URL): URL | undefined {
  if (specifier.startsWith('.')) return new URL(specifier, from)
  const [, name, door] = /^@csp\/([\w-]+)\/(.+)$/.exec(specifier) ?? []
  if (!name || !door) return undefined
  const folder = new URL(`../../packages/${name}/`, import.meta.url)
  const doors: Readonly<Record<string, string>> = JSON.parse(
    readFileSync(new URL('package.json', folder), 'utf8'),
  ).exports
  return new URL(doors[`./${door}`] ?? `src/${door}.ts`, folder)
}
