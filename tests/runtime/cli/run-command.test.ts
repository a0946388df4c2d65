import { describe, expect, test } from 'bun:test'
import { type Command, wholeNumber } from '../../../src/runtime/cli/command.ts'
import { parseArguments, runCommand } from '../../../src/runtime/cli/run-command.ts'
import { CommandError, UsageError } from '../../../src/runtime/config/usage-error.ts'
import { testShell } from '../test-shell.ts'

const command = (name: string) => ({ name, usage: '', options: {}, arguments: { minimum: 0, maximum: 0 } })

test('csp serve has -s for the simple log, and -d for what debugging needs', () => {
  const { flags } = parseArguments(command('serve'), ['-s', '-d', '--port', '8080'])
  expect(flags).toMatchObject({ 'log-format': 'simple', 'log-level': 'debug', port: '8080' })
})

test('No other command has them', () => {
  expect(() => parseArguments(command('search'), ['-s'])).toThrow('-s')
})

describe('a command line', () => {
  const own = {
    name: 'trial',
    usage: 'WORD [FLAGS]',
    options: {
      count: { short: 'n', hint: 'N', help: '', parse: wholeNumber(1) },
      perDay: { hint: 'N', help: '' },
      quiet: { short: 'q', help: '' },
    },
    arguments: { minimum: 1, maximum: 2 },
  } as const
  const parse = (...args: readonly string[]) => parseArguments(own, args)
  const none = { count: undefined, perDay: undefined, quiet: false }

  test.each([
    [['a'], { arguments: ['a'], options: none }],
    [['-n', '3', 'a', '-q', 'b'], { arguments: ['a', 'b'], options: { ...none, count: 3, quiet: true } }],
    [['a', '--per-day=7', '--per-day', '8'], { arguments: ['a'], options: { ...none, perDay: '8' } }],
    [['a', '--per-day=--quiet'], { arguments: ['a'], options: { ...none, perDay: '--quiet' } }],
    [['a', '--per-day', '-'], { arguments: ['a'], options: { ...none, perDay: '-' } }],
    [['a', '--per-day='], { arguments: ['a'], options: { ...none, perDay: '' } }],
    [['--', '-q', '--'], { arguments: ['-q', '--'], options: none }],
  ])('of %j is read', (args, expected) => {
    expect(parse(...args)).toEqual({ ...expected, flags: {} } as never)
  })

  test('has its settings apart from its own flags, which come first', () => {
    const serve = { ...command('serve'), options: { port: { hint: 'PLACE', help: '' } } } as const
    expect(parseArguments(serve, ['--port', 'here', '--sandbox', '--config', 'x.json'])).toEqual({
      arguments: [],
      options: { port: 'here' },
      flags: { sandbox: true, config: 'x.json' },
    })
    // Only csp serve has these.
    expect(() => parseArguments(command('serve'), ['-s', 'now'])).toThrow('csp serve takes no argument "now".')
  })

  test.each([
    [[], 'Usage: csp trial WORD [FLAGS]'],
    [['a', 'b', 'c', 'd'], 'csp trial takes no argument "c".'],
    [['a', '--count', '0'], '--count must be a whole number of 1 or more, not "0"'],
    [['a', '-n'], '-n needs a value: -n N'],
    [['a', '--count', '-q'], '--count needs a value: --count N'],
    [['a', '--quiet=no'], '--quiet takes no value.'],
    [
      ['a', '--quite'],
      'csp trial has no flag --quite. Did you mean --quiet? Text that begins with a dash goes after --.',
    ],
    [
      ['a', '--xyzzyx'],
      'csp trial has no flag --xyzzyx. csp trial --help lists the flags. Text that begins with a dash goes after --.',
    ],
    [['a', '--port', '1'], 'csp trial has no flag --port. '],
  ])('of %j is refused', (args, message) => {
    expect(() => parse(...args)).toThrow(UsageError)
    expect(() => parse(...args)).toThrow(message)
  })

  test('that takes no words says nothing of --', () => {
    expect(() => parseArguments(command('trial'), ['-x'])).toThrow(
      new UsageError('csp trial has no flag -x. csp trial --help lists the flags.'),
    )
  })
})

describe('a command that runs', () => {
  const shell = () => testShell({ environment: { HOME: '/nowhere' }, directory: '/' })
  const running = (run: Command['run'], more: Partial<Command> = {}): Command => ({
    ...{ ...command('search'), examples: [], run },
    ...more,
  })

  test('has its code, or 1 and one line where it fails with a reason', async () => {
    expect(
      await runCommand(
        running(async () => 7),
        [],
        shell(),
      ),
    ).toBe(7)
    const told = shell()
    const failing = running(async () => {
      throw new CommandError('No \u001b[31mseals\u001b[0m here.')
    })
    expect(await runCommand(failing, [], told)).toBe(1)
    expect(told.complaints()).toBe('No seals here.\n')
    for (const error of [new UsageError('wrong'), new TypeError('fault')]) {
      const thrown = await runCommand(
        running(() => Promise.reject(error)),
        [],
        shell(),
      ).catch((each: unknown) => each)
      expect(thrown).toBe(error)
    }
  })

  test('is called with its settings, and only one that mends the configuration without a right one', async () => {
    const seen: unknown[] = []
    const run: Command['run'] = async ({ loaded, flags, arguments: words }) => {
      seen.push([loaded.config.host, loaded.problem, flags, words])
      return 0
    }
    const words = { arguments: { minimum: 0, maximum: 1 } }
    await runCommand(running(run, { name: 'serve', ...words }), ['--host', '192.0.2.1', 'word'], shell())
    const missing = ['--config', 'none.json']
    await runCommand(running(run, { mendsConfig: true }), missing, shell())
    const problem = 'There is no configuration file at /none.json.'
    expect(seen).toEqual([
      [['192.0.2.1'], undefined, { host: '192.0.2.1' }, ['word']],
      [['127.0.0.1'], problem, { config: 'none.json' }, []],
    ])
    await expect(runCommand(running(run), missing, shell())).rejects.toThrow(problem)
  })
})
