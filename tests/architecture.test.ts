import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { Glob } from 'bun'

/** Which rooms a room may import from, itself aside. */
const directions: Readonly<Record<string, readonly string[]>> = {
  lib: ['domain'],
  domain: ['lib'],
  executor: ['domain', 'lib'],
  storage: ['domain', 'lib', 'executor'],
  tunnel: ['domain', 'lib', 'executor'],
  sandbox: ['domain', 'lib'],
  api: ['domain', 'lib', 'executor'],
  app: ['domain', 'lib', 'executor', 'api'],
  runtime: ['domain', 'lib', 'executor', 'storage', 'tunnel', 'sandbox', 'api', 'app'],
}

/** The only files outside `src/runtime` that may speak to Bun and node. */
const boundToRuntime = [
  'storage/files.ts',
  'storage/is-running.ts',
  'storage/ledger-files.ts',
  'storage/replace-file.ts',
  'executor/backends/claude/cli/process.ts',
  'executor/backends/claude/cli/launch.ts',
]

/** What runs on the edge as well, with all that it imports. */
const runtimeFree = [
  'app.ts',
  'executor/answer/answering.ts',
  'executor/backends/brave/brave.ts',
  'executor/backends/messages/messages.ts',
  'executor/backends/searxng/searxng.ts',
  'executor/layers/cache/cached.ts',
  'executor/layers/resilience/fallback.ts',
  'executor/layers/paging/paged.ts',
  'executor/layers/resilience/queued.ts',
  'executor/backends/remote/remote.ts',
  'executor/layers/resilience/resilient.ts',
  'executor/layers/sanitising/sanitised.ts',
  'executor/layers/resilience/deadline.ts',
  'executor/layers/metering/metered.ts',
]

/** Dialects that the vendor documents as an extension of another. */
const extensions: Readonly<Record<string, readonly string[]>> = {
  'api/dialects/perplexity/chat.ts': ['api/dialects/openai/chat.ts'],
}

const source = join(import.meta.dir, '..', 'src')
const files = [...new Glob('**/*.ts').scanSync(source)].sort()

test.each(files)('%s imports only from the rooms below it', (file) => {
  const room = roomOf(file)
  const allowed = [room, ...(directions[room] ?? [])]
  expect(importsOf(file).filter((target) => !allowed.includes(roomOf(target)))).toEqual([])
})

test.each(files)('%s has 250 lines or less', (file) => {
  expect(read(file).trimEnd().split('\n').length).toBeLessThanOrEqual(250)
})

test.each(files.filter((file) => roomOf(file) !== 'runtime' && !boundToRuntime.includes(file)))(
  '%s names neither Bun nor node',
  (file) => {
    expect(runtimeNamesIn(file)).toEqual([])
  },
)

test('what the edge runs reaches nothing that is bound to a runtime', () => {
  const roots = [...runtimeFree, ...files.filter((file) => ['sandbox', 'tunnel'].includes(roomOf(file)))]
  expect(roots.filter((file) => !files.includes(file))).toEqual([])
  const reached = closureOf(roots)
  expect(reached.filter((file) => boundToRuntime.includes(file) || roomOf(file) === 'runtime')).toEqual([])
})

describe('dialects', () => {
  const dialects = files.filter((file) => roomOf(file) === 'api' && /(:|satisfies) Dialect</.test(read(file)))

  test('are found by this test', () => {
    expect(dialects.length).toBeGreaterThan(2)
  })

  test('do not import one another', () => {
    const meetings = dialects.flatMap((file) =>
      importsOf(file)
        .filter((target) => dialects.includes(target) && !extensions[file]?.includes(target))
        .map((target) => `${file} imports ${target}`),
    )
    expect(meetings).toEqual([])
  })
})

describe('this test itself', () => {
  test('sees a type import, a re-export and a lazy import', () => {
    const code = "import type { A } from './a.ts'\nexport { b } from './b.ts'\nawait import('./c.ts')\nimport './d.ts'"
    expect(specifiersIn(code)).toEqual(['./a.ts', './b.ts', './c.ts', './d.ts'])
    expect(specifiersIn("import {\n  a,\n  type B,\n} from './e.ts'")).toEqual(['./e.ts'])
  })

  test('sees a runtime in code, not in comments or property names', () => {
    expect(globalsIn('Bun.serve({})')).toEqual(['Bun'])
    expect(globalsIn('const home = globalThis.process.env.HOME')).toEqual(['process'])
    const innocent =
      "// Bun\nimport './process.ts'\nclass A { #process = 1; own = this.#process.toFixed() + it.process.pid }"
    expect(globalsIn(innocent)).toEqual([])
  })
})

function roomOf(file: string): string {
  const [first = ''] = file.split('/')
  return first.replace(/\.ts$/, '')
}

function read(file: string): string {
  return readFileSync(join(source, file), 'utf8')
}

/** Our own files that a file imports, as paths from `src`. */
function importsOf(file: string): readonly string[] {
  return specifiersIn(read(file))
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => relative(source, join(source, dirname(file), specifier)))
    .filter((target) => !target.startsWith('..'))
}

function specifiersIn(code: string): readonly string[] {
  const pattern = /(?:^|\n)\s*(?:import|export)\s[^'"\n;]*?(?:\{[^}]*\}\s*)?(?:from\s*)?'([^']+)'|import\(\s*'([^']+)'/g
  return [...code.matchAll(pattern)].map(([, still, lazy]) => still ?? lazy ?? '')
}

function runtimeNamesIn(file: string): readonly string[] {
  const code = read(file)
  return [...specifiersIn(code).filter((specifier) => /^(node:|bun(:|$))/.test(specifier)), ...globalsIn(code)]
}

/** Read from the transpiled code, which has no comments and no types. */
function globalsIn(code: string): readonly string[] {
  const plain = new Bun.Transpiler({ loader: 'ts' }).transformSync(code)
  const names = plain.matchAll(/(?:(?<![./#\w$])|\bglobalThis\.)(Bun|Buffer|process|require|__dirname)(?=\s*[.([])/g)
  return [...new Set([...names].map(([, name]) => name ?? ''))]
}

function closureOf(roots: readonly string[]): readonly string[] {
  const reached = new Set<string>()
  const visit = (file: string): void => {
    if (reached.has(file) || !existsSync(join(source, file))) return
    reached.add(file)
    for (const target of importsOf(file)) visit(target)
  }
  for (const root of roots) visit(root)
  return [...reached]
}
