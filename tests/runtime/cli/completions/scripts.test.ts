import { expect, test } from 'bun:test'
import type { Command } from '../../../../src/runtime/cli/command.ts'
import { bashCompletions } from '../../../../src/runtime/cli/completions/bash.ts'
import { type CompletedCommand, completedCommands } from '../../../../src/runtime/cli/completions/completed-commands.ts'
import { zshCompletions } from '../../../../src/runtime/cli/completions/zsh.ts'

const commands: readonly CompletedCommand[] = [
  {
    name: 'one',
    summary: "It's: one",
    flags: [
      { names: ['--form', '-f'], help: 'How', value: ['text', 'md'] },
      { names: ['--count', '-n'], help: 'How many', value: [] },
      { names: ['--out'], help: 'Where', value: 'file' },
      { names: ['--quiet', '-q'], help: 'No: words' },
    ],
    words: { set: ['a', 'b'], show: [] },
  },
  { name: 'two', summary: 'Two', flags: [{ names: ['--quiet'], help: 'No words' }], words: {} },
]
/** The lines of a script from one that begins so to one that begins as the other. */
const between = (script: string, from: string, to: string) =>
  script.slice(script.indexOf(from), script.indexOf(to)).split('\n')

test('bash has the values of each flag, the flags, and the words of each command', () => {
  const script = bashCompletions(commands)
  expect(script).toContain(`    '') words='one two' flags='--help --version' ;;\n`)
  expect(script.match(/ count=\$\(\(count \+ 1\)\); fi ;;$/gm)).toHaveLength(2)
  expect(between(script, '    one)\n', '  esac\n  if [[')).toEqual([
    '    one)',
    '      case $prev in',
    `        --form|-f) COMPREPLY=($(compgen -W 'text md' -- "$cur")); return ;;`,
    '        --count|-n|--out) return ;;',
    '      esac',
    `      flags='--form -f --count -n --out --quiet -q'`,
    '      case $count$argument in',
    `        0) words='set show' ;;`,
    `        1set) words='a b' ;;`,
    '      esac',
    '      ;;',
    ...['    two)', '      case $prev in', '      esac', `      flags='--quiet'`, '      ;;', ''],
  ])
})

test('zsh has the values of each flag, the flags with their help, and the words of each command', () => {
  const script = zshCompletions(commands)
  expect(script).toContain(`${String.raw`  commands=('one:It'\''s\: one' 'two:Two')`}\n`)
  expect(between(script, '    one)\n', '  esac\n  if [[')).toEqual([
    '    one)',
    '      case $prev in',
    '        --form|-f) compadd -- text md; return ;;',
    `        --count|-n) _message 'a value'; return ;;`,
    '        --out) _files; return ;;',
    '      esac',
    String.raw`      flags=('--form:How' '-f:How' '--count:How many' '-n:How many' '--out:Where' '--quiet:No\: words' '-q:No\: words')`,
    '      case $count$argument in',
    '        0) arguments=(set show) ;;',
    '        1set) arguments=(a b) ;;',
    '      esac',
    '      ;;',
    ...['    two)', '      case $prev in', '      esac', `      flags=('--quiet:No words')`, '      ;;', ''],
  ])
})

test('flags are those of the command, then its settings, each once, with the values that are known', async () => {
  const command: Command = {
    ...{ name: 'serve', usage: '', examples: [], arguments: { minimum: 0, maximum: 0 }, run: async () => 0 },
    options: {
      logLevel: { short: 'l', hint: 'LEVEL', help: 'Its own', values: ['much'] },
      toFile: { hint: 'FILE', help: 'Where' },
      count: { hint: 'N', help: 'How many' },
      quiet: { help: 'Quiet', values: ['ignored'] },
    },
    words: { a: [] },
  }
  const [serve, help, ...more] = await completedCommands([
    { name: 'serve', summary: 'Serves', load: async () => command },
  ])
  expect(serve).toMatchObject({ name: 'serve', summary: 'Serves', words: { a: [] } })
  expect(serve?.flags.slice(0, 4)).toEqual([
    { names: ['--log-level', '-l'], help: 'Its own', value: ['much'] },
    { names: ['--to-file'], help: 'Where', value: 'file' },
    { names: ['--count'], help: 'How many', value: [] },
    { names: ['--quiet'], help: 'Quiet', value: undefined },
  ])
  const named = (flag: string) => serve?.flags.filter(({ names: [long] }) => long === flag).map(({ value }) => value)
  expect(named('--log-level')).toHaveLength(1)
  expect([named('--excerpts'), named('--port'), named('--state-dir'), named('--claude-bin')]).toEqual([
    [['auto', 'lines', 'pages', 'none']],
    [[]],
    ['file'],
    ['file'],
  ])
  expect(named('--backends')?.[0]).toContain('brave')
  expect([named('--sandbox'), named('--config'), named('--help')]).toEqual([[undefined], ['file'], [undefined]])
  expect(help).toMatchObject({ name: 'help', flags: [], words: { serve: [] } })
  expect(more).toEqual([])
})
