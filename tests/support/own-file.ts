/** The file of this project that an import in `from` names; `undefined` for a library from npm. */
export function ownFile(specifier: string, from: URL): URL | undefined {
  if (specifier.startsWith('.')) return new URL(specifier, from)
  const [, name, door] = /^@csp\/([\w-]+)\/(.+)$/.exec(specifier) ?? []
  return name && door ? new URL(`../../packages/${name}/src/${door}.ts`, import.meta.url) : undefined
}
