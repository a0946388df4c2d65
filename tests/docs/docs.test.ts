import { describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, normalize } from 'node:path'
import { Glob } from 'bun'
import { parse as parseJsonc } from 'jsonc-parser'
import manifest from '../../package.json' with { type: 'json' }
import { createSandbox } from '../../packages/sandbox/test/support/recorded-sandbox.ts'
import { loadConfig } from '../../src/runtime/config/config.ts'
import { settings } from '../../src/runtime/config/settings.ts'
import { createConfiguredGateway } from '../../src/runtime/gateway.ts'
import { testApp } from '../api/test-app.ts'
import { commands } from '../support/commands.ts'
import { fakePageReader } from '../support/fake-page-reader.ts'
import { cspProblem, filledIn, isCsp } from './csp-call.ts'
import { flagsOfOthers, languages } from './known.ts'
import { documents, root } from './markdown.ts'
import { commandsIn, requestOf, type ShellCommand } from './shell.ts'

// What the docs tell people to type and to copy is parsed here, and what can be tried without a process is tried.
// tests/integrations/guides.test.ts runs the guides of clients.

const guides = documents(['README.md', 'docs/*.md', 'docs/clients/*.md', 'integrations/*/README.md'])
const everything = documents([
  '*.md',
  'packages/*/README.md',
  'docs/**/*.md',
  'integrations/*/README.md',
  'bench/README.md',
  'tests/README.md',
])
const fences = guides.flatMap(({ path, fences: all }) =>
  all.map((fence) => ({ ...fence, where: `${path}:${fence.line}` })),
)

/** Collects what is wrong, so that one run names all of it. */
function problemsOf<Item>(items: readonly Item[], check: (item: Item) => string | undefined): readonly string[] {
  return items.flatMap((item) => check(item) ?? [])
}

describe('the docs', () => {
  test('link to files and headings that exist', () => {
    const anchors = new Map(everything.map((page) => [page.path, page.anchors]))
    const links = everything.flatMap(({ path, links: all }) => all.map(({ text, line }) => ({ path, line, text })))
    expect(links.length).toBeGreaterThan(120)
    const wrong = problemsOf(links, ({ path, line, text }) => {
      if (/^(https?:|mailto:)/.test(text)) return undefined
      const [file = '', anchor] = text.split('#')
      const target = file ? normalize(join(dirname(path), file)).replace(/\/$/, '') : path
      if (!existsSync(join(root, target))) return `${path}:${line} links to ${text}, which is not there`
      const known = anchors.get(target)
      return anchor && known && !known.includes(anchor)
        ? `${path}:${line} links to ${text}: no such heading`
        : undefined
    })
    expect(wrong).toEqual([])
  })

  test('name only variables and flags that csp or another program has', () => {
    const sources = [
      ...new Glob('{src,packages,scripts,bin,integrations}/**/*.{ts,tsx,mjs,py}').scanSync({ cwd: root }),
    ].map((path) => readFileSync(join(root, path), 'utf8'))
    const flags = new Set([
      ...settings.map(({ flag }) => flag),
      ...commands.flatMap(({ options }) =>
        Object.keys(options).map((name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)),
      ),
      ...['config', 'help', 'version'],
    ])
    const variables = new Set(settings.map(({ variable }) => variable))
    const wrong = guides.flatMap(({ path }) => {
      const text = readFileSync(join(root, path), 'utf8')
      const named = [...new Set(text.match(/\bCSP_[A-Z_]*[A-Z]\b/g))].filter(
        (name) => !variables.has(name) && !sources.some((source) => source.includes(name)),
      )
      const unknown = [...new Set(text.match(/(?<![\w-])--[a-z][a-z-]*[a-z]\b/g))].filter(
        (flag) => !flags.has(flag.slice(2)) && !Object.hasOwn(flagsOfOthers, flag),
      )
      return [...named, ...unknown].map((name) => `${path} names ${name}`)
    })
    expect(wrong).toEqual([])
  })

  test('name only files that exist', () => {
    const named = everything.flatMap(({ path, codes }) =>
      codes
        .map(({ text, line }) => ({ path, line, text }))
        .filter(
          ({ text }) => /^(src|tests|docs|bench|scripts|integrations)\/[\w./-]+$/.test(text) && !text.includes('NAME'),
        ),
    )
    expect(named.length).toBeGreaterThan(20)
    expect(
      problemsOf(named, ({ path, line, text }) =>
        [text, `src/${text}`, `tests/${text}.test.ts`, join(dirname(path), text)].some((file) =>
          existsSync(join(root, file)),
        )
          ? undefined
          : `${path}:${line} names ${text}`,
      ),
    ).toEqual([])
  })

  test('say of every block which language it is', () => {
    const wrong = fences
      .filter(({ language }) => !languages.has(language))
      .map(({ where, language }) => `${where} "${language}"`)
    expect(wrong).toEqual([])
    expect(fences.length).toBeGreaterThan(30)
  })

  test('have blocks of data and code that parse', () => {
    const transpiler = new Bun.Transpiler({ loader: 'ts' })
    const parsers: Readonly<Record<string, (code: string) => unknown>> = {
      json: (code) => JSON.parse(code),
      jsonc(code) {
        const errors: Parameters<typeof parseJsonc>[1] = []
        parseJsonc(code, errors, { allowTrailingComma: true })
        if (errors.length > 0) throw new Error(`${errors.length} errors`)
      },
      yaml: (code) => Bun.YAML.parse(code),
      toml: (code) => Bun.TOML.parse(code),
      ts(code) {
        transpiler.transformSync(code)
        for (const { path } of transpiler.scanImports(code)) importable(path)
      },
    }
    expect(
      problemsOf(fences, ({ where, language, code }) => {
        try {
          parsers[language]?.(code)
          return undefined
        } catch (error) {
          return `${where}: ${error}`
        }
      }),
    ).toEqual([])
  })

  test('have configuration files that csp reads', () => {
    const files = fences.filter(
      ({ where, language }) => /^docs\/(configuration|gateway)\.md/.test(where) && language.startsWith('json'),
    )
    expect(files.length).toBeGreaterThan(1)
    for (const { code, where } of files) {
      const home = mkdtempSync(join(tmpdir(), 'csp-docs-'))
      try {
        writeFileSync(join(home, 'config.json'), code)
        const variables = { HOME: home, OPENROUTER_API_KEY: 'key' }
        const { warnings } = loadConfig({ config: join(home, 'config.json') }, variables, home)
        expect({ where, warnings }).toEqual({ where, warnings: [] })
      } finally {
        rmSync(home, { recursive: true })
      }
    }
  })

  const python = Bun.which('python3')
  test.skipIf(!python)('have Python that compiles', () => {
    const codes = fences.filter(({ language }) => language === 'python').map(({ code, where }) => [where, code])
    expect(codes.length).toBeGreaterThan(0)
    const check = 'import json, sys\nfor where, code in json.load(sys.stdin): compile(code, where, "exec")'
    const { exitCode, stderr } = Bun.spawnSync(['python3', '-c', check], { stdin: new Blob([JSON.stringify(codes)]) })
    expect({ exitCode, errors: stderr.toString() }).toEqual({ exitCode: 0, errors: '' })
  })
})

describe('the commands of the docs', () => {
  const typed = fences.flatMap(({ language, code, where, notRun }) =>
    language === 'sh' || language === 'console'
      ? commandsIn(code, language === 'console').map((command) => ({ where, notRun, command }))
      : [],
  )
  const inline = guides.flatMap(({ path, codes }) =>
    codes.flatMap(({ text, line }) =>
      /^(npx |bunx )?csp [a-z-]/.test(text) && !/[…|]/.test(text)
        ? commandsIn(filledIn(text), false).map((command) => ({ where: `${path}:${line}`, command }))
        : [],
    ),
  )

  test('run csp with commands, flags and values that it takes', async () => {
    const calls = [...typed, ...inline].filter(({ command }) => isCsp(command.program))
    expect(calls.length).toBeGreaterThan(60)
    const problems = calls.map(async ({ where, command }) => prefixed(where, command, await cspProblem(command)))
    expect((await Promise.all(problems)).filter((problem) => problem !== undefined)).toEqual([])
  })

  test('use scripts that package.json has', () => {
    const calls = typed.filter(({ command }) => command.program === 'npm' && command.words[0] === 'run')
    expect(
      calls.map(({ command }) => command.words[1]).filter((name) => !Object.hasOwn(manifest.scripts, name ?? '')),
    ).toEqual([])
  })

  test('ask csp by curl for what it answers', async () => {
    const pages = fakePageReader(new Proxy({}, { get: () => 'A page.', has: () => true }))
    const metrics = { type: 'text/plain', observe() {}, format: async () => '' }
    const sandbox = createSandbox()
    const gateway = createConfiguredGateway(
      loadConfig({}, {}, '/').config,
      {},
      {
        sandbox: async () => 'http://sandbox.localhost',
        aroundFetch: () => (url, init) => sandbox.fetch(new Request(url, init)),
      },
    )
    const app = testApp(undefined, { pages, metrics, gateway })
    const calls = typed.filter(({ command }) => command.program === 'curl' && command.text.includes('127.0.0.1:52480'))
    expect(calls.length).toBeGreaterThan(12)
    for (const { where, command } of calls) {
      const { url, init } = requestOf(command.words)
      const reply = await app.request(url, init)
      const text = await reply.text()
      expect({ where, status: reply.status, text }).toEqual({ where, status: 200, text })
      expect({ where, ignored: reply.headers.get('x-csp-ignored') }).toEqual({ where, ignored: null })
    }
  })

  test('are run or parsed here, or the page says why not', () => {
    const known = new Set(['npm', 'curl', 'cd', 'export', 'git', 'mkdir', 'cp', 'head', 'xargs', 'jq', 'tar'])
    const isLocal = ({ program, text }: ShellCommand) =>
      isCsp(program) || (known.has(program) && (program !== 'curl' || text.includes('127.0.0.1:52480')))
    const wrong = typed.filter(({ command, notRun }) => !isLocal(command) && notRun === undefined)
    expect(wrong.map(({ where, command }) => `${where}: ${command.text}`)).toEqual([])
    const needless = fences.filter(
      ({ notRun, where }) =>
        notRun !== undefined && typed.filter((each) => each.where === where).every(({ command }) => isLocal(command)),
    )
    expect(needless.map(({ where }) => where)).toEqual([])
  })
})

function prefixed(where: string, { text }: ShellCommand, problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : `${where}: ${text}: ${problem}`
}

/** Throws for a package that nobody could import: neither ours nor a dependency of the tests. */
function importable(path: string): void {
  if (path.startsWith('node:') || path === manifest.name || path.startsWith(`${manifest.name}/`)) return
  const name = path
    .split('/')
    .slice(0, path.startsWith('@') ? 2 : 1)
    .join('/')
  if (!Object.hasOwn({ ...manifest.dependencies, ...manifest.devDependencies }, name))
    throw new Error(`${path} is unknown`)
}
