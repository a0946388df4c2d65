import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { optionalFlags, requiredFlags } from '../../src/executor/backends/claude/cli/launch.ts'
import { leastVersion } from '../../src/executor/backends/claude/cli/version.ts'

/** What a scripted CLI does, in `sh`. `$id` is the id of the request, `$starts` how many servers have been started. */
export interface CliScript {
  readonly version?: string | undefined
  readonly isSignedIn?: boolean | undefined
  /** Before each other argument is read. */
  readonly onStart?: string | undefined
  /** Before the search server reads anything. */
  readonly onServe?: string | undefined
  /** In place of the list with WebSearch. */
  readonly tools?: readonly object[] | undefined
  readonly onSearch?: string | undefined
  readonly onPing?: string | undefined
}

/**
 * A program in the place of the CLI that starts in some milliseconds: it says what it is, and `mcp serve` serves
 * WebSearch. It has no workers and asks no API.
 */
export function scriptedCli(folder: string, script: CliScript = {}) {
  const path = join(folder, 'claude')
  const noted = (name: string) => {
    const file = join(folder, name)
    // Without the end of a line that is being written.
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []
  }
  const write = ({
    version = leastVersion,
    isSignedIn = true,
    onStart = '',
    onServe = '',
    tools = [webSearch],
    onSearch = found(),
    onPing = respond({}),
  }: CliScript) => {
    // A shell reads its script as it goes, so that of a running one stays as it is.
    writeFileSync(
      `${path}.new`,
      `#!/bin/sh
folder='${folder}'
${onStart}
case "$*" in
  --version) echo probe >> "$folder/probes"; echo '${version} (Claude Code)'; exit ;;
  --help) echo '${[...requiredFlags, ...optionalFlags].join('\n')}'; exit ;;
  *status) echo '{"loggedIn":${isSignedIn}}'; exit ;;
esac
echo $$ >> "$folder/starts"
starts=$(wc -l < "$folder/starts")
${onServe}
while read -r line; do
  id=\${line##*'"id":'}
  id=\${id%%[,\\}]*}
  case "$line" in
    *'"method":"initialize"'*) ${respond(hello)} ;;
    *tools/list*) ${respond({ tools })} ;;
    *tools/call*) printf '%s\\n' "$line" >> "$folder/calls"; ${onSearch} ;;
    *'"method":"ping"'*) ${onPing} ;;
    *) printf '%s\\n' "$line" >> "$folder/notifications" ;;
  esac
done
`,
      { mode: 0o755 },
    )
    renameSync(`${path}.new`, path)
  }
  write(script)
  return {
    path,
    /** Another script in its place. */
    write,
    /** The process ids of the search servers, in the order of their starts. */
    starts: () => noted('starts').map(Number),
    /** How often it was asked for its version. */
    probes: () => noted('probes').length,
    /** The arguments of each search. */
    searches: () => noted('calls').map((line) => JSON.parse(line).params.arguments),
    notifications: () => noted('notifications').map((line) => JSON.parse(line).method),
  }
}

/** Answers the request whose id is `$id`. */
export function respond(result: object): string {
  const [before, after] = JSON.stringify({ jsonrpc: '2.0', id: '?', result }).replaceAll("'", "'\\''").split('"?"')
  return `printf '%s%s%s\\n' '${before}' "$id" '${after}'`
}

/** Answers a search with one page, or with these results of the tool. */
export function found(
  results: readonly unknown[] = [{ content: [{ title: 'Seals', url: 'https://seals.example/' }] }],
): string {
  return respond({ content: [{ type: 'text', text: JSON.stringify({ query: '', results }) }] })
}

export const webSearch = { name: 'WebSearch', inputSchema: { type: 'object', properties: { query: {} } } }

const hello = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'scripted', version: '1' },
}
