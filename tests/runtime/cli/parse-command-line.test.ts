import { describe, expect, test } from 'bun:test'
import { commandRows } from '../../../src/runtime/cli/commands.ts'
import { parseCommandLine } from '../../../src/runtime/cli/parse-command-line.ts'

const parse = (...args: readonly string[]) => parseCommandLine(args, () => 'init')

describe('what is run', () => {
  test.each<[args: readonly string[], command: string, own: readonly string[]]>([
    [[], 'init', []],
    [['serve'], 'serve', []],
    [['--port', '0'], 'serve', ['--port', '0']],
    [['--port', '0', 'serve'], 'serve', ['--port', '0']],
    [['--sandbox', 'search', 'x', '--json'], 'search', ['--sandbox', 'x', '--json']],
    [['--sandbox', '--config', 'c.json', 'search', 'x'], 'search', ['--sandbox', '--config', 'c.json', 'x']],
    [['--config', 'c.json', '--sandbox', 'search', 'x'], 'search', ['--config', 'c.json', '--sandbox', 'x']],
    [['--config=c.json', 'search', 'x'], 'search', ['--config=c.json', 'x']],
    // Flags of a command, whose values nobody knows before the command is.
    [['-f', 'json', '-q', 'search', 'x'], 'search', ['-f', 'json', '-q', 'x']],
    [['--prot', '3'], 'serve', ['--prot', '3']],
    // Values that are called as a command, and one with spaces.
    [['--state-dir', 'search', 'status'], 'status', ['--state-dir', 'search']],
    [['--state-dir', 'search', '--port', '0'], 'serve', ['--state-dir', 'search', '--port', '0']],
    [['--state-dir', '/me/my state', 'stop'], 'stop', ['--state-dir', '/me/my state']],
    [['--state-dir=/me/my state', '--port', '0'], 'serve', ['--state-dir=/me/my state', '--port', '0']],
    [['search', 'serve'], 'search', ['serve']],
    // Questions.
    [['how do bees dance'], 'ask', ['how do bees dance']],
    [['--sandbox', 'how do bees dance', '-q'], 'ask', ['--sandbox', 'how do bees dance', '-q']],
    [['--format', 'json', 'how do bees dance'], 'ask', ['--format', 'json', 'how do bees dance']],
    [['-5 °C outside'], 'ask', ['-5 °C outside']],
    [['bees', '--json'], 'bees', ['--json']],
    // A short form.
    [['--port', '1', 'open'], 'status', ['--open', '--port', '1']],
    // Behind -- there are no flags and no commands.
    [['search', '--', '--help', '--version'], 'search', ['--', '--help', '--version']],
    [['--sandbox', '--', 'config'], 'serve', ['--sandbox', '--', 'config']],
    [['search', '--version'], 'search', ['--version']],
  ])('for %j', async (args, command, own) => {
    expect(await parse(...args)).toMatchObject({ task: 'run', command, args: own })
  })

  test('is a row of the table, where there is one', async () => {
    expect((await parse('--sandbox', 'search')).row?.name).toBe('search')
    for (const name of ['searhc', 'constructor', '']) expect((await parse(name)).row).toBeUndefined()
  })
})

test.each<[args: readonly string[], task: string, command: string]>([
  [['--help'], 'list of commands', ''],
  [['help'], 'list of commands', ''],
  [['help', '--help'], 'list of commands', ''],
  [['--sandbox', '--help'], 'help', 'serve'],
  [['--help', '--sandbox'], 'help', 'serve'],
  [['--help-all'], 'whole help', 'serve'],
  [['--help', 'serve'], 'help', 'serve'],
  [['serve', '--help'], 'help', 'serve'],
  [['serve', '-h', '--port', '0'], 'help', 'serve'],
  [['help', 'search'], 'help', 'search'],
  [['--sandbox', 'help', 'search'], 'help', 'search'],
  [['help', '--help-all', 'search'], 'whole help', 'search'],
  [['help', 'open'], 'help', 'status'],
  [['how do bees dance', '--help'], 'help', 'ask'],
  [['--version'], 'version', ''],
  [['--sandbox', '-V'], 'version', ''],
  [['-v', '--json'], 'version', ''],
  [['--version', 'serve'], 'version', ''],
])('%j shows the %s %s', async (args, task, command) => {
  expect(await parse(...args)).toMatchObject({ task, command })
})

test('a question without quotes ends with the first flag', async () => {
  expect((await parse('--sandbox', 'how', 'do', 'bees', '--json', 'dance')).question).toBe('how do bees')
})

test('who serves others until it is stopped stands in the table', () => {
  const servers = commandRows.filter(({ isServer }) => isServer).map(({ name }) => name)
  expect(servers.toSorted()).toEqual(['connect', 'mcp', 'serve'])
})
