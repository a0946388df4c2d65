import { shellWord } from '@csp/lib/text'
import type { ClientAddress, ClientAddresses, ClientProgram, ClientSnippet, Setting, SettingsFile } from './client.ts'

/** An MCP server by its address, with the field names that most clients share. */
export function mcpByUrl({ url, key }: ClientAddress) {
  return { url: `${url}/mcp`, ...(key && { headers: { Authorization: `Bearer ${key}` } }) }
}

/** A JSON file with one value, named `csp` in a group. */
export function jsonEntry(group: string, value: unknown): readonly SettingsFile[] {
  return [{ format: 'json', settings: [{ place: [group, 'csp'], value }] }]
}

/** Variables, one for each member. */
export function variables(values: Readonly<Record<string, string>>): readonly Setting[] {
  return Object.entries(values).map(([name, value]) => ({ place: [name], value }))
}

/** Values in a group that may have others of the user. */
export function below(group: string, values: Readonly<Record<string, unknown>>): readonly Setting[] {
  return Object.entries(values).map(([name, value]) => ({ place: [group, name], value }))
}

/** The entry for a program that starts its MCP servers. A desktop program has a PATH without the CLI. */
export function programEntry({ command, args, env }: ClientProgram, claudeBin: string | undefined) {
  const values = { ...env, ...(claudeBin && { CSP_CLAUDE_BIN: claudeBin }) }
  return { command, args, ...(Object.keys(values).length > 0 && { env: values }) }
}

/** An address that contains its key, for clients without a field for keys. */
export function addressWithKey({ url, key }: ClientAddress): string {
  return key ? url.replace('://', `://csp:${encodeURIComponent(key)}@`) : url
}

/** A placeholder for clients that insist on a key if csp requires none. */
export const noKey = 'local'

/** The two further commands for a program in a container. */
export function inContainer(
  id: string,
  { address: { url }, platform, csp }: Pick<ClientAddresses, 'address' | 'platform' | 'csp'>,
): readonly string[] {
  const serve = platform === 'linux' ? '--host 172.17.0.1' : '--allowed-hosts host.docker.internal'
  return [
    `In a container 127.0.0.1 is not this machine: there csp is http://host.docker.internal:${new URL(url).port}, and answers with a key alone:`,
    `  ${csp} keys add ${id}`,
    `  ${csp} start ${serve}`,
    firstKey(csp),
  ]
}

/** What the first key changes. */
export function firstKey(csp: string): string {
  return `From the first key on, programs that have none are refused: ${csp} setup gives each its own.`
}

/** What to type into a terminal. */
export function typed(...words: readonly string[]): Omit<ClientSnippet, 'client'> {
  return { place: 'a terminal', text: words.map(shellWord).join(' ') }
}
