import { describe, expect, test } from 'bun:test'
import type { Command } from '../../../src/runtime/cli/command.ts'
import { helpFor } from '../../../src/runtime/cli/command-help.ts'
import { helpForAll, helpSections, table } from '../../../src/runtime/cli/help.ts'
import { settingsOf } from '../../../src/runtime/config/settings.ts'

describe('a table of help', () => {
  const rows = [
    ['one', 'The first of them'],
    ['three', 'The third'],
  ] as const

  test('has its texts in one column, which begins four columns behind the longest name', () => {
    expect(table(rows, 80)).toBe('  one    The first of them\n  three  The third')
  })

  test('gives a text a line of its own where its name is too long, or fewer than 24 columns are left', () => {
    expect(table(rows, 80, 3)).toBe('  one  The first of them\n  three\n       The third')
    // 33 - (5 + 4) = 24.
    expect(table(rows, 33)).toBe('  one    The first of them\n  three  The third')
    expect(table(rows, 32)).toBe('  one\n        The first of them\n  three\n        The third')
    expect(table([['a', 'x'.repeat(10)]], 20)).toBe(`  a\n        ${'x'.repeat(10)}`)
  })

  test('breaks a long text under itself', () => {
    expect(table([['name', 'one two three four five six seven']], 34)).toBe(
      '  name  one two three four five\n        six seven',
    )
  })
})

test('sections without text are left out, and one without a title has none', () => {
  expect(
    helpSections([
      ['', 'About'],
      ['Usage', '  csp'],
      ['Empty', ' '],
      ['', ''],
    ]),
  ).toBe('About\n\nUsage:\n  csp\n')
})

test('the commands of all groups have one column, and short forms say what they stand for', () => {
  const load = () => Promise.reject(new Error('not needed for its row'))
  const row = (name: string) => ({ name, summary: `Does ${name}`, load })
  const page = helpForAll(
    [
      ['First', [row('a')]],
      ['Second', [row('longest')]],
    ],
    { b: ['longest', '--fast'] },
    80,
  )
  expect(page).toContain('First:\n  a        Does a\n\nSecond:\n  longest  Does longest\n')
  expect(page).toMatch(/^ {2}b +csp longest --fast$/m)
})

describe('the help of a command', () => {
  /** A command whose own flags replace all settings of `csp serve` but this many. */
  function commandWith(left: number, more: Command['options'] = {}): Command {
    const names = settingsOf('serve')
      .slice(left)
      .map(({ name }) => name)
    const own = names.map((name) => [name, { help: 'Its own' }] as const)
    return {
      name: 'serve',
      usage: '[FLAGS]',
      examples: ['csp serve --own'],
      options: { ...Object.fromEntries(own), ...more },
      arguments: { minimum: 0, maximum: 0 },
      run: async () => 0,
    }
  }

  test('shows up to 15 settings by their group, and of more only what people set most', () => {
    const few = helpFor('Serves.', commandWith(15), 80)
    expect(few).not.toContain('--help-all')
    expect(few).toContain('\nServer:\n')
    const many = helpFor('Serves.', commandWith(16), 80)
    expect(many).toContain('\nMost used settings:\n')
    expect(many).not.toContain('\nServer:\n')
    const shown = settingsOf('serve')
      .slice(0, 16)
      .filter(({ flag }) => many.includes(`  --${flag} `))
    expect(many.replaceAll(/\s+/g, ' ')).toContain(`--help-all Also the other ${16 - shown.length} settings`)
    const whole = helpFor('Serves.', commandWith(16), 80, true)
    expect(whole).not.toContain('Most used settings')
    expect(whole).not.toContain('--help-all')
  })

  test('names each flag with its short form, its value and what it is', () => {
    const command = {
      ...commandWith(0, { everyDay: { short: 'e', hint: 'N', help: 'Each day' }, plain: { help: 'Plainly' } }),
      details: 'More of it.',
    }
    const page = helpFor('Serves.', command, 80)
    expect(page).toStartWith('Serves.\n\nUsage:\n  csp serve [FLAGS]\n\nMore of it.\n\nFlags:\n')
    expect(page).toMatch(/^ {2}-e, --every-day N {2,}Each day$/m)
    expect(page).toMatch(/^ {6}--plain {2,}Plainly$/m)
    expect(page).toMatch(/^ {6}--port {2,}Its own$/m)
    expect(page).toEndWith('Examples:\n  csp serve --own\n')
    // Its own flag has the place of the setting of that name.
    expect(page.match(/--port /g)).toHaveLength(1)
    // One without words behind its name ends its line with the name.
    expect(helpFor('Serves.', { ...command, usage: '' }, 80)).toContain('Usage:\n  csp serve\n')
  })

  test('shows the default of a setting with its unit, and none that is empty or off', () => {
    const page = helpFor('Serves.', commandWith(999), 200, true)
    const lineOf = (flag: string) => page.split('\n').find((line) => line.includes(`--${flag} `)) ?? ''
    expect(lineOf('cache-ttl')).toContain(' (1h) [CSP_CACHE_TTL]')
    for (const flag of ['api-keys', 'sandbox', 'claude-bin']) expect(lineOf(flag)).toMatch(/[^)] \[CSP_\w+\]$/)
    expect(lineOf('port')).toMatch(/ \(52480\) \[CSP_PORT\]$/)
    expect(lineOf('host')).toMatch(/ \(127\.0\.0\.1\) \[CSP_HOST\]$/)
  })

  test('lines up all groups, and leaves a first column of more than 40 out of that', () => {
    const long = 'x'.repeat(50)
    const page = helpFor('Serves.', commandWith(0, { [long]: { help: 'Long' }, y: { help: 'Short' } }), 120)
    expect(page).toContain(`      --${long}\n${' '.repeat(44)}Long\n`)
    expect(page).toContain(`${'      --y'.padEnd(44)}Short\n`)
  })
})
