import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { Glob } from 'bun'

/**
 * Which rooms a room may import from, itself aside. A file belongs to the longest room that its path begins with, so an
 * inner room has a row of its own where its walls are narrower than those of the room around it.
 */
const directions: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  language: ['lib'],
  domain: ['lib'],
  'executor/executor.ts': ['domain'],
  'executor/wire': ['domain', 'lib', 'executor/executor.ts'],
  'executor/answer': ['domain', 'lib', 'language', 'executor/executor.ts'],
  'executor/layers': [
    'domain',
    'lib',
    'evidence',
    'executor/executor.ts',
    'executor/wire',
    'executor/answer/composed.ts',
    'executor/answer/excerpt-answer.ts',
    'executor/answer/grounding/answer-guard.ts',
    'executor/answer/merged-lists.ts',
    'executor/answer/passages',
    'executor/answer/row-text.ts',
    'executor/answer/select-rows.ts',
    'page-reader/page-reader.ts',
  ],
  'executor/backends': [
    'domain',
    'lib',
    'executor/executor.ts',
    'executor/wire',
    'executor/answer',
    'executor/layers',
    'page-reader/page-reader.ts',
    'messages-api',
  ],
  evidence: ['domain', 'lib', 'language'],
  'jobs/job-store.ts': ['domain'],
  jobs: ['domain', 'lib', 'executor/executor.ts', 'jobs/job-store.ts'],
  storage: ['domain', 'lib', 'executor', 'jobs/job-store.ts'],
  research: ['domain', 'lib', 'executor'],
  'page-reader/page-reader.ts': ['domain'],
  'page-reader': ['domain', 'lib', 'language', 'executor/executor.ts', 'page-reader/page-reader.ts'],
  tunnel: ['domain', 'lib', 'executor/wire'],
  'messages-api': ['lib'],
  sandbox: ['domain', 'lib', 'messages-api'],
  gateway: ['domain', 'lib', 'messages-api'],
  'api/exchange/failure.ts': ['domain'],
  'api/dialect.ts': ['domain', 'lib', 'api/exchange/failure.ts'],
  'api/list-dialect.ts': ['domain', 'api/dialect.ts'],
  'api/vendor.ts': ['lib', 'api/exchange', 'api/serve'],
  'api/fields': ['domain', 'lib', 'api/dialect.ts', 'api/exchange', 'api/http'],
  'api/exchange': ['domain', 'lib', 'executor', 'api/dialect.ts', 'api/exchange/failure.ts'],
  'api/http': ['domain', 'lib', 'executor', 'api/exchange'],
  'api/serve': [
    'domain',
    'lib',
    'evidence',
    'executor',
    'api/dialect.ts',
    'api/exchange',
    'api/http',
    'api/fields',
    'page-reader/page-reader.ts',
    'gateway',
    'messages-api',
  ],
  'api/endpoints': [
    'domain',
    'lib',
    'evidence',
    'executor',
    'api/dialect.ts',
    'api/vendor.ts',
    'api/exchange',
    'api/http',
    'api/fields',
    'api/serve',
    'page-reader/page-reader.ts',
    'gateway',
    'messages-api',
  ],
  'api/dialects': [
    'domain',
    'lib',
    'language',
    'evidence',
    'executor',
    'api/dialect.ts',
    'api/list-dialect.ts',
    'api/vendor.ts',
    'api/exchange',
    'api/http',
    'api/fields',
    'api/serve',
    'page-reader/page-reader.ts',
    'gateway',
    'messages-api',
  ],
  api: ['domain', 'lib', 'evidence', 'executor', 'api', 'page-reader/page-reader.ts', 'gateway', 'messages-api'],
  clients: ['lib'],
  'web-ui': ['lib', 'clients', 'api/endpoints/own-parts.ts'],
  'app.ts': ['domain', 'lib', 'executor', 'api', 'page-reader/page-reader.ts', 'gateway', 'messages-api'],
  library: ['domain', 'lib', 'executor', 'research', 'app.ts', 'runtime/version.ts', 'runtime/server/scratch.ts'],
  'runtime/config': [
    'domain',
    'lib',
    'executor',
    'tunnel',
    'api/exchange',
    'api/http',
    'runtime/shell',
    'runtime/version.ts',
  ],
  'runtime/shell': ['lib'],
  'runtime/background': [
    'lib',
    'executor',
    'storage',
    'api/endpoints',
    'runtime/config',
    'runtime/shell',
    'runtime/server',
  ],
  'runtime/client-files': [
    'lib',
    'clients',
    'storage',
    'api/exchange',
    'api/http',
    'runtime/config',
    'runtime/shell',
    'runtime/server',
    'runtime/background',
    'runtime/version.ts',
  ],
  'runtime/log': ['lib', 'domain', 'api', 'runtime/config', 'runtime/shell', 'gateway', 'messages-api'],
  'runtime/metrics': ['storage/is-running.ts', 'domain', 'executor', 'api', 'gateway', 'messages-api'],
  'runtime/server': [
    'lib',
    'domain',
    'executor',
    'jobs',
    'research',
    'storage',
    'tunnel',
    'sandbox',
    'api',
    'app.ts',
    'runtime/config',
    'runtime/shell',
    'runtime/log',
    'runtime/metrics',
    'runtime/backends.ts',
    'runtime/gateway.ts',
    'runtime/upstream-plans.ts',
    'runtime/writers.ts',
    'runtime/page-reader-argument.ts',
    'runtime/version.ts',
    'page-reader',
    'web-ui',
    'gateway',
    'messages-api',
  ],
  'runtime/cloudflare': [
    'lib',
    'domain',
    'executor',
    'research',
    'storage',
    'tunnel',
    'api',
    'app.ts',
    'runtime/config',
    'runtime/log',
    'runtime/backends.ts',
    'runtime/gateway.ts',
    'runtime/writers.ts',
    'runtime/version.ts',
    'page-reader',
    'web-ui',
    'gateway',
    'messages-api',
  ],
  'runtime/cli': [
    'lib',
    'jobs',
    'clients',
    'runtime/client-files',
    'domain',
    'evidence',
    'executor',
    'research',
    'storage',
    'tunnel',
    'api',
    'app.ts',
    'runtime/config',
    'runtime/shell',
    'runtime/log',
    'runtime/server',
    'runtime/background',
    'runtime/gateway.ts',
    'runtime/upstream-plans.ts',
    'runtime/upstream-models.ts',
    'runtime/writers.ts',
    'runtime/version.ts',
    'page-reader',
    'web-ui',
    'gateway',
    'messages-api',
  ],
  runtime: [
    'domain',
    'lib',
    'jobs',
    'clients',
    'executor',
    'storage',
    'tunnel',
    'sandbox',
    'api',
    'app.ts',
    'runtime',
    'page-reader',
    'web-ui',
    'gateway',
    'messages-api',
  ],
}

/** The only files outside `src/runtime` that may speak to Bun and node. */
const boundToRuntime = [
  'storage/files.ts',
  'storage/is-running.ts',
  'storage/job-database.ts',
  'storage/sound-database.ts',
  'storage/sqlite.ts',
  'storage/ledger-files.ts',
  'storage/page-memory/eviction.ts',
  'storage/page-memory/memory-file.ts',
  'storage/page-memory/recall.ts',
  'storage/page-memory/rows.ts',
  'storage/page-memory/schema.ts',
  'storage/page-memory/tidy.ts',
  'storage/receipt-files.ts',
  'storage/plain-file.ts',
  'storage/replace-file.ts',
  'executor/backends/claude/cli/process.ts',
  'executor/backends/claude/cli/reaper.ts',
  'executor/backends/claude/cli/find.ts',
  'executor/backends/claude/cli/launch.ts',
  'library/claude.ts',
  'page-reader/browser/checked-proxy.ts',
  'page-reader/browser/devtools.ts',
  'page-reader/local/body.ts',
  'page-reader/local/fetch-page.ts',
  'page-reader/local/network.ts',
  'page-reader/local/send.ts',
]

/** What runs on the edge as well, with all that it imports. */
const runtimeFree = [
  'app.ts',
  'clients',
  'evidence',
  'executor/answer',
  'executor/layers',
  'executor/wire',
  'executor/backends/brave',
  'executor/backends/messages',
  'executor/backends/remote',
  'executor/backends/searxng',
  'gateway',
  'research',
  'library/library-worker.ts',
  'sandbox',
  'tunnel',
]

/** Rooms whose names are their room's own: each has counterparts, such as the same layer around another kind of call. */
const counterparts = [
  'api/dialects',
  'executor/layers',
  'gateway/layers',
  'gateway/chat-completions',
  'gateway/responses',
  'library',
  'page-reader/layers',
  'web-ui/browser',
]

/** Names that stand twice outside those rooms. Nothing is added here: one of the two gets another name. */
const repeatedNames: readonly string[] = [
  'Connection',
  'Environment',
  'Fetch',
  'FoundHealth',
  'Setting',
  'deferred',
  'health',
  'mcp',
  'modelsOf',
  'nameOf',
  'readBody',
  'readPages',
]

/** A command's name is that of its file and folder. */
const isCommand = (file: string) => /^runtime\/cli\/(\w+)\/\1\.ts$/.test(file)

const source = join(import.meta.dir, '..', 'src')
const files = [...new Glob('**/*.{ts,tsx,js,css}').scanSync(source)].sort()
const linesOf = (file: string): number => read(file).trimEnd().split('\n').length

describe('every file', () => {
  test('imports only from the rooms below its own', () => {
    expect(wrongDirections()).toEqual([])
  })

  test('has 250 lines or less', () => {
    expect(files.filter((file) => linesOf(file) > 250)).toEqual([])
  })

  test('is more than a few lines for a single importer', () => {
    const importers = new Map<string, number>()
    for (const file of files) {
      for (const target of new Set(importsOf(file))) importers.set(target, (importers.get(target) ?? 0) + 1)
    }
    const rest = files.filter((file) => !file.endsWith('/endpoints.ts'))
    expect(rest.filter((file) => linesOf(file) <= 4 && importers.get(file) === 1)).toEqual([])
  })

  test('outside the runtime names neither Bun nor node', () => {
    const free = files.filter((file) => !isWithin(file, 'runtime') && !boundToRuntime.includes(file))
    expect(free.flatMap((file) => runtimeNamesIn(file).map((name) => `${file} names ${name}`))).toEqual([])
  })
})

test('an exported name means one thing', () => {
  const places = new Map<string, string[]>()
  const isOwn = (file: string) => isCommand(file) || counterparts.some((room) => isWithin(file, room))
  for (const file of files.filter((name) => !isOwn(name))) {
    for (const name of exportsIn(read(file))) places.set(name, [...(places.get(name) ?? []), file])
  }
  const twice = [...places].filter(([, found]) => new Set(found).size > 1).map(([name]) => name)
  expect(twice.filter((name) => !repeatedNames.includes(name))).toEqual([])
})

test('the folders of the command line import one another in one direction', () => {
  const folders = readdirSync(join(source, 'runtime/cli'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  )
  const names = folders.map(({ name }) => `runtime/cli/${name}`)
  const above = new Map(
    names.map((name) => {
      const targets = files.filter((file) => isWithin(file, name)).flatMap(importsOf)
      return [name, names.filter((other) => other !== name && targets.some((target) => isWithin(target, other)))]
    }),
  )
  // Whoever imports none that are left goes; what stays is a circle.
  const without = (left: readonly string[]) =>
    left.filter((name) => above.get(name)?.some((other) => left.includes(other)))
  expect(names.reduce(without, names)).toEqual([])
})

test('csp --help loads a few files', () => {
  const loaded = loadedBy(['entry', 'command-line', 'update-check'].map((name) => `runtime/${name}.ts`))
  expect(loaded).toContain('runtime/cli/help.ts')
  // 539 when all commands were loaded for it. It needs no setting, and no package.
  expect(loaded.length).toBeLessThan(35)
  expect(loaded.filter((file) => !/^\.|^node:|^bun$|\.tsx?$/.test(file))).toEqual([])
})

test('what the edge runs reaches nothing that is bound to a runtime', () => {
  expect(runtimeFree.filter((room) => !existsSync(join(source, room)))).toEqual([])
  const reached = closureOf(files.filter((file) => runtimeFree.some((room) => isWithin(file, room))))
  const bound = reached.filter((file) => boundToRuntime.includes(file) || isWithin(file, 'runtime'))
  expect(bound.filter((file) => file !== 'runtime/version.ts')).toEqual([])
})

test('what the library runs is there on the oldest node that csp supports', () => {
  const newer = /\bURL\.parse\(|Promise\.(?:withResolvers|try)\(|Array\.fromAsync\(|\.groupBy\(/
  expect(closureOf(['library/library.ts']).filter((file) => newer.test(read(file)))).toEqual([])
})

describe('dialects', () => {
  test('are found by this test', () => {
    expect(vendors().length).toBeGreaterThan(8)
  })

  test('do not import one another', () => {
    expect(meetings()).toEqual([])
  })

  test('have a manifest that names their errors and one file to load', () => {
    expect(vendors().flatMap(oddImports)).toEqual([])
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

function vendors(): readonly string[] {
  return readdirSync(join(source, 'api/dialects')).filter((name) => name !== 'shared')
}

const ofManifest =
  /(?:^|\/)(?:error|endpoints|search|calls|execute)\.ts$|^api\/vendor\.ts$|^api\/dialects\/shared\/(?:errors|vertex)\.ts$/

function oddImports(vendor: string): readonly string[] {
  return offenders(`api/dialects/${vendor}/vendor.ts`, (target) => !ofManifest.test(target))
}

/** Imports of one dialect from another, and of what they share from any of them. */
function meetings(): readonly string[] {
  return files.flatMap((file) => {
    const own = [...vendors(), 'shared'].map((name) => `api/dialects/${name}`).find((room) => isWithin(file, room))
    if (own === undefined) return []
    const foreign = vendors()
      .map((name) => `api/dialects/${name}`)
      .filter((room) => room !== own)
    return offenders(file, (target) => foreign.some((room) => isWithin(target, room)))
  })
}

function wrongDirections(): readonly string[] {
  return files.flatMap((file) => {
    const room = roomOf(file)
    const isAllowed = (target: string): boolean =>
      roomOf(target) === room || (directions[room] ?? []).some((other) => isWithin(target, other))
    return offenders(file, (target) => !isAllowed(target))
  })
}

/** The imports of a file that a rule forbids, to be read in a list. */
function offenders(file: string, isForbidden: (target: string) => boolean): readonly string[] {
  return importsOf(file)
    .filter(isForbidden)
    .map((target) => `${file} -> ${target}`)
}

/** The longest room of `directions` that the file lies in; the top folder where none is named. */
function roomOf(file: string): string {
  const rooms = Object.keys(directions).filter((room) => file === room || file.startsWith(`${room}/`))
  return rooms.toSorted((a, b) => b.length - a.length)[0] ?? file
}

function isWithin(file: string, room: string): boolean {
  return file === room || file.startsWith(`${room}/`)
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

function exportsIn(code: string): readonly string[] {
  const pattern = /^export (?:async )?(?:abstract )?(?:function\*?|class|interface|type|const) (\w+)/gm
  return [...code.matchAll(pattern)].map(([, name]) => name ?? '')
}

function specifiersIn(code: string): readonly string[] {
  const pattern = /(?:^|\n)\s*(?:import|export)\s[^'"\n;]*?(?:\{[^}]*\}\s*)?(?:from\s*)?'([^']+)'|import\(\s*'([^']+)'/g
  return [...code.matchAll(pattern)].map(([, still, lazy]) => still ?? lazy ?? '')
}

function runtimeNamesIn(file: string): readonly string[] {
  if (file.endsWith('.css')) return []
  const code = read(file)
  const loader = file.endsWith('.tsx') ? 'tsx' : 'ts'
  return [...specifiersIn(code).filter((specifier) => /^(node:|bun(:|$))/.test(specifier)), ...globalsIn(code, loader)]
}

/** Read from the transpiled code, which has no comments and no types. */
function globalsIn(code: string, loader: 'ts' | 'tsx' = 'ts'): readonly string[] {
  const plain = new Bun.Transpiler({ loader }).transformSync(code)
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

/** What files load as they start, packages included: without types, and without what is imported later. */
function loadedBy(roots: readonly string[]): readonly string[] {
  const loaded = new Set<string>()
  const visit = (file: string): void => {
    if (loaded.has(file)) return
    loaded.add(file)
    if (!/\.tsx?$/.test(file) || !existsSync(join(source, file))) return
    for (const { path, kind } of new Bun.Transpiler({ loader: 'ts' }).scanImports(read(file))) {
      if (kind !== 'dynamic-import') visit(path.startsWith('.') ? join(dirname(file), path) : path)
    }
  }
  for (const root of roots) visit(root)
  return [...loaded]
}
