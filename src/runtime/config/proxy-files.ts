import { join } from 'node:path'
import type { Environment } from '../shell/shell.ts'
import { readTextFile } from './config-file.ts'
import { homeFolder } from './home.ts'

/** The files in which proxies for Claude Code keep the variables of their provider, the first that is there first. */
export const proxyFileNames = ['.claude/proxy.env', '.claude-code-proxy'] as const

/**
 * These files of the user's home with the variables in them. Never a file of the current folder, which could be
 * anybody's. Throws a `UsageError` for one that cannot be read.
 */
export function* proxyFiles(environment: Environment): Generator<readonly [string, ReadonlyMap<string, string>]> {
  const home = homeFolder(environment)
  for (const name of proxyFileNames) {
    const path = join(home, name)
    const text = readTextFile('file of variables', path)
    if (text !== undefined) yield [path, variablesIn(text)]
  }
}

/** `NAME=value` a line, with or without `export`, quotes and a comment behind it. */
function variablesIn(text: string): ReadonlyMap<string, string> {
  const lines = text.split(/\r?\n/).flatMap((line) => {
    const [, name, value = ''] =
      /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=(?:\s*("[^"]*"|'[^']*'|[^\s#].*?))?(?:\s+#.*|\s*)$/.exec(line) ?? []
    return name ? [[name, value.replace(/^(["'])(.*)\1$/, '$2')] as const] : []
  })
  return new Map(lines)
}
