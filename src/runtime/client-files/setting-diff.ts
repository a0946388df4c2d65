import { isObject } from '@csp/lib/json'

/** The differences between two configurations, a line for each setting, keys hidden. Empty when they are equal. */
export function settingDiff(before: unknown, after: unknown): string {
  const old = leavesOf(before)
  const now = leavesOf(after)
  const paths = [...new Set([...old.keys(), ...now.keys()])].filter((path) => old.get(path) !== now.get(path))
  return paths
    .flatMap((path) => [...line('-', path, old.get(path)), ...line('+', path, now.get(path))])
    .map((text) => `${text}\n`)
    .join('')
}

/**
 * Each value that is not an object with keys, as JSON, under its path: `tools.web.search.provider`. Lists of objects are
 * taken apart, too, since their members may be keys.
 */
function leavesOf(value: unknown, path = ''): ReadonlyMap<string, string> {
  if (Array.isArray(value) && value.some((item) => typeof item === 'object')) {
    return new Map(value.flatMap((item, index) => [...leavesOf(item, `${path}[${index}]`)]))
  }
  const keys = isObject(value) ? Object.keys(value) : []
  if (!isObject(value) || (keys.length === 0 && path)) return new Map([[path, JSON.stringify(value)]])
  return new Map(keys.flatMap((key) => [...leavesOf(value[key], path ? `${path}.${key}` : key)]))
}

function line(sign: '+' | '-', path: string, value: string | undefined): readonly string[] {
  if (value === undefined) return []
  const isSecret = /(key|token|secret|password|authorization)$/i.test(path) && value !== '"local"'
  return [`${sign} ${path}: ${isSecret ? '(hidden)' : value}`]
}
