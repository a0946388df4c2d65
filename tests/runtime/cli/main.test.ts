import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import { commandGroups, formerCommands } from '../../../src/runtime/cli/commands.ts'
import { main } from '../../../src/runtime/cli/main.ts'
import { flagOf, settings, settingsOf } from '../../../src/runtime/config/settings.ts'
import { commands } from '../../support/commands.ts'
import { testShell } from '../test-shell.ts'

const home = mkdtempSync(join(tmpdir(), 'csp-cli-'))
afterAll(() => rmSync(home, { recursive: true }))

async function csp(args: readonly string[], environment: Readonly<Record<string, string>> = {}, input?: string) {
  const shell = testShell({ environment: { HOME: home, ...environment }, directory: home, input })
  const code = await main(args, shell)
  return { code, printed: shell.printed(), complaints: shell.complaints() }
}

describe('csp help', () => {
  test.each([[['--help']], [['-h']], [['help']]])('shows every command and exit code for %j', async (args) => {
    const { code, printed } = await csp(args)
    expect(code).toBe(0)
    const words = printed.replace(/\s+/g, ' ')
    for (const { name, summary } of commands) expect(words).toContain(` ${name} ${summary} `)
    for (const [title] of commandGroups) expect(printed).toContain(`${title}:\n`)
    for (const meaning of ['signed out', 'usage limit', 'interrupted']) expect(printed).toContain(meaning)
  })

  test.each(commands.map((command) => [command.name, command] as const))('has a page for %s', async (name, command) => {
    const { code, printed } = await csp([name, '--help'])
    expect(code).toBe(0)
    expect(printed).toContain(`csp ${name} ${command.usage}`)
    for (const option of Object.keys(command.options)) expect(printed).toContain(`--${flagOf(option)}`)
    for (const example of command.examples) expect(printed).toContain(`  ${example}\n`)
    expect((await csp(['help', name])).printed).toBe(printed)
    expect(printed.split('\n').filter((line) => line.length > 80 && !line.startsWith('  csp'))).toEqual([])
  })

  test.each([80, 40])('fits its words into %d columns', async (columns) => {
    const shell = testShell({ environment: {}, directory: '/' })
    const narrow = { ...shell, output: { ...shell.output, columns } }
    for (const name of [[], ...commands.map((command) => [command.name])]) await main([...name, '--help'], narrow)
    expect(shell.printed()).toContain('csp serve')
    // What is typed is one piece, and so is a word.
    const words = shell.printed().replace(/^(?:Usage|Examples):\n(?: {2}.*\n)+/gm, '')
    const wide = words.split('\n').filter((line) => line.length > columns && line.trim().includes(' '))
    expect(wide).toEqual([])
  })

  test('treats --help after -- as part of the query', async () => {
    const { code } = await csp(['search', '-n', '99', '--', '--help'])
    expect(code).toBe(2)
  })

  test('shows defaults and variables on a page', async () => {
    const { printed } = await csp(['help', 'serve'])
    expect(printed).toContain('(52480)')
  })

  test.each(commands.map(({ name }) => name))(
    'fits into 60 lines for %s, and --help-all has every flag',
    async (name) => {
      const { printed } = await csp([name, '--help'])
      expect(printed.trimEnd().split('\n').length).toBeLessThan(61)
      const whole = (await csp([name, '--help-all'])).printed
      for (const { flag } of settingsOf(name)) expect(whole).toContain(`--${flag}`)
      expect(printed.includes('--help-all')).toBe(settingsOf(name).length > 15)
    },
  )
})

test.each([[['--version']], [['-v']]])('%j prints the version', async (args) => {
  expect(await csp(args)).toEqual({ code: 0, printed: `${manifest.version}\n`, complaints: '' })
})

describe('a usage error ends with exit code 2 and a suggestion', () => {
  test.each([
    [['--prot', '3'], 'csp serve has no flag --prot. Did you mean --port?'],
    [['serve', '--xyzzy'], 'csp serve has no flag --xyzzy. csp serve --help lists the flags.'],
    [['-x'], 'csp serve has no flag -x.'],
    [['search', '--jsn', 'x'], 'Did you mean --json? Text that begins with a dash goes after --.'],
    [['search', '--port', '1', 'hello'], 'csp search has no flag --port'],
    [['serve', '--port'], '--port needs a value: --port PORT'],
    [['serve', '--port', '--sandbox'], '--port needs a value: --port PORT'],
    [['serve', '--port=abc'], '--port must be a whole number'],
    [['search', 'seals', '--memory=off'], '--memory takes no value.'],
    [['serve', 'now'], 'csp serve takes no argument "now".'],
    [['serach', 'x'], 'csp has no command "serach". Did you mean search? To ask: csp ask "serach x".'],
    [['how', 'do', 'bees', 'dance', '--json'], 'csp has no command "how". To ask: csp ask "how do bees dance".'],
    [['what', 'is', '$HOME'], "To ask: csp ask 'what is $HOME'."],
    [['--sandbox', 'bees'], 'To ask: csp ask "bees".'],
    [
      ['frobnicate'],
      'csp has no command "frobnicate". It has: search, ask, research, fetch, verify, receipt, jobs, mcp, serve, start, stop, restart, status, logs',
    ],
    [['help', 'serv'], 'Did you mean serve?'],
    [['search'], 'Usage: csp search QUERY'],
    [['search', ' '], 'The query is empty.'],
    [['search', '-'], 'The query is empty.'],
    [['search', 'x'.repeat(4001)], 'The query was rejected'],
    [['search', 'hello', '-n', '0'], '-n must be a number from 1 to 20, not "0"'],
    [['search', 'hello', '-n', '21'], '-n must be a number from 1 to 20'],
    [['search', 'hello', '-n', '2.5'], '-n must be a number from 1 to 20'],
    [['search', 'hello', '--freshness', 'decade'], '--freshness must be one of'],
    [['ask', 'hello', '--freshness', 'decade'], 'csp ask: --freshness must be one of'],
    [['ask', 'hello', '--exclude-domains', 'no host'], 'csp ask: --exclude-domains'],
    [['ask'], 'Usage: csp ask QUERY'],
    [['ask', ''], 'The query is empty.'],
    [['ask', 'hello', '--model', 'gpt-none'], '"gpt-none" is not a model'],
    [['ask', '--model', '-', 'hello'], '"-" is not a model'],
    [['cache', 'clear'], 'csp has no command "cache" any more. In its place: csp memory.'],
    [['help', 'recall'], 'In its place: csp search --memory.'],
    [['doctor', 'please'], 'csp doctor takes no argument "please".'],
  ])('for the arguments %j', async (args, message) => {
    const { code, complaints, printed } = await csp(args)
    expect(complaints).toContain(message)
    expect(code).toBe(2)
    expect(printed).toBe('')
  })
})

describe('csp serve refuses to listen without keys', () => {
  test.each(['0.0.0.0', '::', '192.168.1.2', 'example.org'])('on %s', async (host) => {
    const { code, complaints } = await csp(['serve', '--host', host])
    expect(code).toBe(2)
    expect(complaints).toContain('csp keys add NAME')
  })
})

describe('csp config', () => {
  test('shows values with their origins, and no keys', async () => {
    const { code, printed } = await csp(['config', '--port', '9', '--api-keys', 'secret-one,secret-two'], {
      CSP_MODEL: 'haiku',
    })
    expect(code).toBe(0)
    expect(printed).toMatch(/^ {2}port +9 +--port$/m)
    expect(printed).toMatch(/^ {2}model +haiku +CSP_MODEL$/m)
    expect(printed).toMatch(/^ {2}api-keys +\(hidden\),\(hidden\) +--api-keys$/m)
    expect(printed).not.toMatch(/secret-(one|two)/)
    // What is set comes first; times have their unit.
    expect(printed.indexOf('CSP_MODEL')).toBeLessThan(printed.indexOf('Searching (defaults)'))
    expect(printed).toMatch(/^ {2}cache-ttl +1h$/m)
    expect(printed).toMatch(/^ {2}daily-searches +500$/m)
  })

  test('prompts: shows what the models are told, the instructions of the file with it', async () => {
    writeFileSync(join(home, 'style.txt'), '\uFEFFUse metres.\n')
    const { code, printed } = await csp(['config', 'prompts', '--instructions', 'style.txt'])
    expect(code).toBe(0)
    for (const words of [
      'one word "done"',
      'NUMBER SITE|YYYYMMDD|excerpt',
      'You write answers',
      'Your own tool is WebSearch',
      'You plan the web searches of a research',
      'Write a report that answers the question',
      'Use metres.',
    ]) {
      expect(printed).toContain(words)
    }
    expect(JSON.parse((await csp(['config', 'prompts', '--json'])).printed)).toMatchObject({ instructions: '' })
  })

  test('prompts: has those of the file in place of its own, and its own rules behind them', async () => {
    writeFileSync(join(home, 'prompts.md'), '# standard: of the writer\n\nYou are a clerk.\n\n## Tone\nTerse.\n')
    const { printed } = await csp(['config', 'prompts', '--prompts', 'prompts.md', '--json'])
    const { standard, deep } = JSON.parse(printed)
    expect(standard).toStartWith('You are a clerk.\n\n## Tone\nTerse.\n\n')
    expect(standard).toContain('like this [1]')
    expect(standard).not.toContain('You write answers')
    expect(deep).toStartWith('You answer questions')
    // What is printed is a file that csp takes, as far as it can be replaced.
    const whole = (await csp(['config', 'prompts'])).printed
    const copied = whole.slice(whole.indexOf('# standard'), whole.indexOf('# plan'))
    writeFileSync(join(home, 'prompts.md'), copied)
    expect((await csp(['config', 'prompts', '--prompts', 'prompts.md'])).code).toBe(0)
  })

  test.each([
    ['an unknown name', '# standard\nOne.\n# colours\nRed.', 'line 3'],
    ['a name that stands there twice', '# deep\nOne.\n# deep\nTwo.', 'line 3'],
    ['text before the first name', 'One.', 'line 1'],
    ['no prompt', '', 'line 1'],
    ['an empty prompt', '# deep\n# standard\nOne.', 'line 1'],
    ['a prompt that is too long', `# deep\n${'x'.repeat(4001)}`, 'at most 4000'],
  ])('a file of prompts with %s is refused, by doctor as well', async (_, text, words) => {
    writeFileSync(join(home, 'prompts.md'), text)
    for (const command of ['config', 'doctor']) {
      const { code, complaints, printed } = await csp([command, '--prompts', 'prompts.md'])
      expect(code).not.toBe(0)
      expect(complaints + printed).toContain(words)
    }
  })

  test('a file of prompts that is missing, or is none, is refused', async () => {
    for (const path of ['missing.md', '.']) {
      const { code, complaints } = await csp(['config', '--prompts', path])
      expect([code, complaints]).toEqual([2, expect.stringContaining('file of prompts')])
    }
  })

  test('refuses instructions that are missing or too long, and an unknown topic', async () => {
    writeFileSync(join(home, 'long.txt'), 'x'.repeat(4001))
    const long = await csp(['config', '--instructions', 'long.txt'])
    expect([long.code, long.complaints]).toEqual([2, expect.stringContaining('at most 4000')])
    const missing = await csp(['config', '--instructions', 'missing.txt'])
    expect([missing.code, missing.complaints]).toEqual([2, expect.stringContaining('missing.txt')])
    expect((await csp(['config', 'colours'])).code).toBe(2)
  })

  test('hides every secret', async () => {
    const secrets = settings.filter(({ secret }) => secret)
    expect(secrets.map(({ flag }) => flag)).toEqual([
      'api-keys',
      'BRAVE_API_KEY',
      'EXA_API_KEY',
      'TAVILY_API_KEY',
      'SERPER_API_KEY',
      'anthropic-api-key',
      'remote-key',
      'connect-secret',
      'access-token',
      'gateway',
      'OPENAI_API_KEY',
    ])
    const named = secrets.flatMap(({ variable }) => variable ?? [])
    const environment = {
      ...Object.fromEntries(named.map((variable) => [variable, 'never-shown-anywhere'])),
      CSP_ACCESS_TOKEN: 'id:never-shown-anywhere',
      CSP_GATEWAY: '[{"name": "one", "url": "http://127.0.0.1:1", "key": "never-shown-anywhere"}]',
    }
    const { printed } = await csp(['config'], environment)
    expect(printed.match(/\(hidden\)/g)).toHaveLength(named.length)
    expect(printed).not.toContain('never-shown-anywhere')
  })

  test('--json shows the same as JSON', async () => {
    const { printed } = await csp(['config', '--json'], { CSP_API_KEYS: 'secret', CSP_TIMEOUT: '2m' })
    expect(printed).not.toContain('"secret"')
    expect(JSON.parse(printed)).toMatchObject({
      file: { path: join(home, '.config', 'csp', 'config.json'), found: false },
      settings: { timeout: { value: 120, origin: 'CSP_TIMEOUT' }, 'claude-bin': { value: null, origin: 'default' } },
    })
  })

  test('passes warnings on', async () => {
    const folder = join(home, 'xdg', 'csp')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'config.json'), '{"prot": 1}')
    const { code, complaints } = await csp(['config'], { XDG_CONFIG_HOME: join(home, 'xdg') })
    expect(code).toBe(0)
    expect(complaints).toContain('Did you mean "port"?')
  })
})

test.each(['start --sandbox --port 0', 'keys add phone', 'config set model haiku'])(
  'csp %s says which file it cannot write',
  async (line) => {
    const file = join(home, 'no-folder')
    writeFileSync(file, '')
    const { code, complaints } = await csp(line.split(' '), { HOME: file })
    expect(code).toBeGreaterThan(0)
    expect(complaints).toContain(file)
  },
)

test('every former command names one that is there, and is none itself', () => {
  const names = commands.map(({ name }) => name)
  for (const [name, now] of Object.entries(formerCommands)) {
    expect(names).not.toContain(name)
    for (const [, command = ''] of now.matchAll(/csp ([a-z]+)/g)) expect(names).toContain(command)
  }
})

test('each row of the table loads the command of its name', () => {
  expect(commands.map(({ loaded }) => loaded)).toEqual(commands.map(({ name }) => name))
})
