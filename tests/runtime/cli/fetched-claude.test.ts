import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import { bundleProgram } from '../../../scripts/bundle-program.ts'
import { findClaude } from '../../../src/executor/backends/claude/cli/find.ts'
import { offerClaude } from '../../../src/runtime/cli/offer-claude.ts'
import { loadConfig } from '../../../src/runtime/config/config.ts'
import { testNeeding } from '../../support/needs.ts'
import { testShell } from '../test-shell.ts'

// From a folder of its own, since a checkout has a CLI among its dependencies.

const scratch = mkdtempSync(join(tmpdir(), 'csp-fetch-'))
beforeAll(() => bundleProgram(join(scratch, 'program')))
afterAll(() => rmSync(scratch, { recursive: true }))

const version = manifest.dependencies['@anthropic-ai/claude-code']
const program = (path: string, text: string) => {
  writeFileSync(path, `#!/bin/sh\n${text}\n`)
  chmodSync(path, 0o755)
}

const claude = `case "$*" in
  --version) echo '2.1.328 (Claude Code)';;
  'auth login') touch "$HOME/in";;
  *'auth status') if [ -e "$HOME/in" ]; then echo '{"loggedIn":true}'; else echo '{"loggedIn":false}'; exit 1; fi;;
esac`

/** A machine without a CLI, whose npm brings this one. */
function machine(npmEnds = 0, meanwhile = '') {
  const home = mkdtempSync(join(scratch, 'home '))
  const bin = join(home, 'bin')
  mkdirSync(bin)
  program(join(home, 'cli'), claude)
  const target = `@anthropic-ai/claude-code-${process.platform}-${process.arch}`
  program(
    join(bin, 'npm'),
    `echo "$@" > "$HOME/asked"
${meanwhile}
if [ ${npmEnds} != 0 ]; then echo 'npm error network' >&2; exit ${npmEnds}; fi
mkdir -p "$3/node_modules/${target}" && cd "$3/node_modules/${target}" && echo '{}' > package.json && cp "$HOME/cli" claude`,
  )
  const env = { HOME: home, PATH: `${bin}:/bin`, CSP_NODE: join(bin, 'node') }
  const csp = (...args: string[]) => {
    // Without these flags Bun itself would fetch what it does not find.
    const flags = ['--no-env-file', '--no-install']
    const command = [process.execPath, ...flags, join(scratch, 'program/dist/csp/entry.js'), ...args]
    const { exitCode, stdout, stderr } = Bun.spawnSync(command, { env, cwd: home, stdin: 'ignore' })
    return { code: exitCode, said: `${stdout}${stderr}` }
  }
  const asked = () => (existsSync(join(home, 'asked')) ? readFileSync(join(home, 'asked'), 'utf8').trim() : undefined)
  return { home, bin, env, csp, asked, folder: join(home, '.local/share/csp/claude-code') }
}

// Installers may have put one where csp looks for it.
const withoutCli = testNeeding('a machine without a CLI', findClaude({ HOME: scratch, PATH: '' }) === undefined)

withoutCli('csp login --yes says what it fetches, and fetches it without install scripts', () => {
  const { csp, asked, folder, bin } = machine()
  const { code, said } = csp('login', '--yes')
  expect([code, said]).toEqual([0, expect.stringContaining('Signed in.')])
  const about = `@anthropic-ai/claude-code ${version} from npm into ${folder}: some 170 MB to download, 370 MB on disk`
  expect(said).toContain(`Fetching ${about}.`)
  expect(asked()).toStartWith(`install --prefix ${folder} --ignore-scripts `)
  expect(asked()).toEndWith(` @anthropic-ai/claude-code@${version}`)
  expect(csp('doctor').said).toContain(folder)

  // One that somebody installs comes first.
  program(join(bin, 'claude'), claude)
  expect(csp('doctor').said).toContain(join(bin, 'claude'))

  expect(csp('uninstall', '--yes').said).toContain(`the Claude Code CLI that csp fetched: ${folder}`)
  expect(existsSync(folder)).toBe(false)
})

test('it is fetched after a yes alone, to a question that says what, how much and where', async () => {
  for (const [reply, isAsked] of [
    ['y', true],
    ['n', false],
    [undefined, false],
  ] as const) {
    const { env, home, folder, asked } = machine()
    const shell = testShell({ environment: env, directory: home, reply })
    await offerClaude(loadConfig({}, env, home), shell, false, (text) => shell.output.write(text))
    expect(shell.printed()).toContain(
      `The Claude Code CLI is missing. Fetch @anthropic-ai/claude-code ${version} from npm into ${folder}: some 170 MB to download, 370 MB on disk? [Y/n] `,
    )
    expect([reply, asked() !== undefined, existsSync(folder)]).toEqual([reply, isAsked, isAsked])
  }
})

withoutCli('where nobody can be asked nothing is fetched, and the message says how to get it', () => {
  const { csp, asked } = machine()
  expect(csp('login')).toEqual({ code: 3, said: expect.stringContaining('offers to fetch it from npm') })
  expect(asked()).toBeUndefined()
})

withoutCli('csp init --yes fetches it, and says why where npm cannot', () => {
  const quiet = ['init', '--yes', '--clients', 'none', '--serve', 'no', '--no-search']
  expect(machine().csp(...quiet)).toEqual({ code: 3, said: expect.stringContaining('Signed out.') })
  const said = expect.stringContaining('It could not be fetched: npm error network')
  const broken = machine(1)
  expect(broken.csp(...quiet)).toEqual({ code: 3, said })
  expect(existsSync(broken.folder)).toBe(false)
})

withoutCli('csp init --yes sets up the clients while npm fetches it, and waits for both', () => {
  // npm ends once the client is there, or gives up.
  const waits =
    'for i in 1 2 3 4 5 6 7 8 9 10; do [ -e "$HOME/.cursor/mcp.json" ] || sleep 1; done\n[ -e "$HOME/.cursor/mcp.json" ] || exit 9'
  const init = ['init', '--yes', '--clients', 'cursor', '--serve', 'no', '--no-search']
  const { code, said } = machine(0, waits).csp(...init)
  expect([code, said]).toEqual([3, expect.stringContaining('Signed out.')])
  const places = ['Claude Code CLI\n  Fetching @anthropic-ai', '  2.1.328 at', 'Clients', 'mcp.json'].map((text) =>
    said.indexOf(text),
  )
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect(places[0]).toBeGreaterThanOrEqual(0)
  // An unknown client is said once npm is through, so that nothing is left of it.
  const unknown = machine().csp('init', '--yes', '--clients', 'emacs')
  expect([unknown.code, unknown.said]).toEqual([2, expect.stringContaining('emacs')])
})

describe.skipIf(process.platform === 'win32')('csp by its name alone, at a terminal', () => {
  /** Answers the first question, or ends csp once it serves. */
  async function called(configuration?: string) {
    const { env, home } = machine()
    if (configuration) {
      mkdirSync(join(home, '.config/csp'), { recursive: true })
      writeFileSync(join(home, '.config/csp/config.json'), configuration)
    }
    const address = /http:\/\/127\.0\.0\.1:\d+/
    let shown = ''
    const flags = ['--no-env-file', '--no-install']
    const child = Bun.spawn([process.execPath, ...flags, join(scratch, 'program/dist/csp/entry.js')], {
      env: { ...env, TERM: 'xterm' },
      cwd: home,
      terminal: {
        data(terminal, data) {
          const before = shown
          shown += new TextDecoder().decode(data)
          if (/\[Y\/n\/s\] $/.test(shown)) terminal.write('n\r')
          if (address.test(shown) && !address.test(before)) child.kill('SIGTERM')
        },
      },
    })
    await child.exited
    child.terminal?.close()
    return shown
  }

  test('sets up a machine where csp was never set up, after a yes', async () => {
    const shown = await called()
    for (const part of ['Setting up csp', 'Do all of this?', 'Nothing was changed.']) expect(shown).toContain(part)
  })

  test('serves where it was', async () => {
    const shown = await called('{"port": 0}')
    expect(shown).toContain('http://127.0.0.1:')
    expect(shown).not.toContain('Setting up csp')
  })
})
