import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import { z } from 'zod'

/** What the server and the Worker are put together from. */
const parts = 'runtime/backends.ts runtime/gateway.ts runtime/writers.ts runtime/version.ts'

/**
 * The folders and files of `src` that a folder may import from, itself aside. A file belongs to the longest name that its
 * path begins with. Packages are open to all by their doors (`exports`), and never import `src`.
 */
const imports: Readonly<Record<string, string>> = {
  domain: '',
  'executor/executor.ts': 'domain executor/source-pages.ts',
  'executor/wire': 'domain executor/executor.ts',
  'executor/answer': 'domain executor/executor.ts executor/source-pages.ts',
  'executor/layers': 'domain executor',
  'executor/backends': 'domain executor',
  executor: 'domain',
  research: 'domain executor',
  jobs: 'domain executor',
  storage: 'domain executor jobs/job-store.ts',
  tunnel: 'domain executor/wire',
  'api/dialect.ts': 'domain api/exchange/failure.ts',
  'api/list-dialect.ts': 'domain api/dialect.ts',
  'api/vendor.ts': 'api/exchange api/serve',
  'api/fields': 'domain api/dialect.ts api/exchange api/http',
  'api/exchange': 'domain executor api/dialect.ts',
  'api/http': 'domain executor api/exchange',
  'api/serve': 'domain executor api/dialect.ts api/exchange api/http api/fields',
  'api/endpoints': 'domain executor api/dialect.ts api/vendor.ts api/exchange api/http api/fields api/serve',
  'api/dialects':
    'domain executor api/dialect.ts api/list-dialect.ts api/vendor.ts api/exchange api/http api/fields api/serve',
  api: 'domain executor api',
  clients: '',
  'web-ui': 'clients domain/own-prompts.ts api/endpoints/own-parts.ts',
  'app.ts': 'domain executor api',
  library: 'domain executor research app.ts runtime/version.ts runtime/server/scratch.ts',
  'runtime/shell': '',
  'runtime/config': 'domain executor tunnel api/exchange api/http runtime/shell runtime/version.ts',
  'runtime/log': 'domain api runtime/config runtime/shell',
  'runtime/metrics': 'domain executor api storage/is-running.ts',
  'runtime/cloudflare': `domain executor research storage tunnel api app.ts web-ui runtime/config runtime/log ${parts}`,
  'runtime/server': `domain executor research jobs storage tunnel api app.ts web-ui runtime/config runtime/shell runtime/log
    runtime/metrics runtime/upstream-plans.ts runtime/page-reader-argument.ts ${parts}`,
  'runtime/background': 'executor storage api/endpoints runtime/config runtime/shell runtime/server runtime/version.ts',
  'runtime/client-files': `storage api/exchange api/http clients runtime/config runtime/shell runtime/server
    runtime/background runtime/version.ts`,
  'runtime/cli': 'domain executor research jobs storage tunnel api clients web-ui app.ts runtime',
  runtime: 'domain executor research jobs storage tunnel api clients web-ui app.ts runtime',
}

/** The only files outside `src/runtime` that may speak to Bun and node. */
const boundToRuntime = [
  ...'files is-running job-database sound-database sqlite ledger-files receipt-files plain-file replace-file'
    .split(' ')
    .map((name) => `src/storage/${name}.ts`),
  ...'eviction memory-file recall rows schema tidy'.split(' ').map((name) => `src/storage/page-memory/${name}.ts`),
  ...'process reaper find launch'.split(' ').map((name) => `src/executor/backends/claude/cli/${name}.ts`),
  'src/library/claude.ts',
  ...'browser/checked-proxy browser/devtools local/body local/fetch-page local/network local/send'
    .split(' ')
    .map((name) => `packages/page-reader/src/${name}.ts`),
]

/** What runs on the edge as well, with all that it imports. */
const runtimeFree = [
  'src/app.ts',
  'src/clients',
  'src/executor/answer',
  'src/executor/layers',
  'src/executor/wire',
  ...'brave messages remote searxng'.split(' ').map((name) => `src/executor/backends/${name}`),
  'src/research',
  'src/tunnel',
  'src/library/library-worker.ts',
  'packages/gateway/src',
  'packages/sandbox/src',
]

const manifestSchema = z.object({
  dependencies: z.record(z.string(), z.string()).optional(),
  devDependencies: z.record(z.string(), z.string()).optional(),
  bundleDependencies: z.array(z.string()).optional(),
})

const root = join(import.meta.dir, '..')
const folder = (pattern: string) => [...new Glob(pattern).scanSync({ cwd: root })]
const files = [...folder('src/**/*.{ts,tsx,js,css}'), ...folder('packages/*/src/**/*.ts')].sort()

describe('every file', () => {
  test('imports only from the folders below its own', () => {
    const isAllowed = (file: string, target: string) => {
      const own = placeOf(file)
      if (file.startsWith('packages/')) return target.startsWith('packages/')
      if (target === 'package.json') return true
      const below = (imports[own] ?? '').split(/\s+/).filter(Boolean)
      return (
        target.startsWith('packages/') ||
        placeOf(target) === own ||
        below.some((place) => isWithin(target, `src/${place}`))
      )
    }
    expect(files.flatMap((file) => offenders(file, (target) => !isAllowed(file, target)))).toEqual([])
  })

  test('has 400 lines at most', () => {
    expect(files.filter((file) => linesOf(file) > 400)).toEqual([])
  })

  test('is more than a few lines for a single importer', () => {
    const importers = Map.groupBy(
      files.flatMap((file) => [...new Set(importsOf(file))]),
      (target) => target,
    )
    const rest = files.filter((file) => !file.endsWith('/endpoints.ts'))
    expect(rest.filter((file) => linesOf(file) <= 4 && importers.get(file)?.length === 1)).toEqual([])
  })

  test('outside the runtime names neither Bun nor node', () => {
    const isFree = (file: string) => !isWithin(file, 'src/runtime') && !boundToRuntime.includes(file)
    const free = files.filter((file) => isFree(file) && !file.startsWith('packages/testing/'))
    expect(free.flatMap((file) => runtimeNamesIn(file).map((name) => `${file} names ${name}`))).toEqual([])
  })
})

describe('packages', () => {
  test('need one another in one direction', () => {
    const needs = new Map(
      readdirSync(join(root, 'packages')).map((name) => {
        const all = folder(`packages/${name}/src/**/*.ts`).flatMap(specifiersIn)
        return [name, new Set(all.flatMap((path) => /^@csp\/([\w-]+)\//.exec(path)?.[1] ?? []))]
      }),
    )
    expect(circleIn(needs)).toEqual([])
  })

  test('import by a relative path what is their own alone, in tests as well', () => {
    const out = folder('packages/*/{src,test}/**/*.ts').flatMap((file) => {
      const own = file.split('/').slice(0, 2).join('/')
      const near = specifiersIn(file).filter((path) => path.startsWith('.'))
      const targets = near.map((path) => join(dirname(file), path))
      return targets.filter((target) => !isWithin(target, own)).map((to) => `${file} -> ${to}`)
    })
    expect(out).toEqual([])
  })

  const manifests = ['package.json', ...folder('packages/*/package.json')].map((path) => ({
    path,
    ...manifestSchema.parse(JSON.parse(read(path))),
  }))

  test('name one version of a library', () => {
    const all = manifests.flatMap(({ dependencies, devDependencies }) =>
      Object.entries({ ...dependencies, ...devDependencies }),
    )
    const versions = Map.groupBy(
      new Set(all.map(([name, version]) => `${name} ${version}`)),
      (each) => each.split(' ')[0],
    )
    expect([...versions.values()].filter((found) => found.length > 1)).toEqual([])
  })

  test('go along with a packed checkout, those of the tests aside', () => {
    const names = readdirSync(join(root, 'packages'))
      .filter((name) => name !== 'testing')
      .sort()
    expect(manifests[0]?.bundleDependencies?.toSorted()).toEqual(names.map((name) => `@csp/${name}`))
  })

  test('import what their manifests name; what only tests need is a development dependency', () => {
    const all = manifests.map((one) => ({ ...one, named: { ...one.dependencies, ...one.devDependencies } }))
    // Imports are found by a pattern, and some are none. `bun` is the runtime.
    const known = new Set(all.flatMap(({ named }) => Object.keys(named)).filter((name) => name !== 'bun'))
    const unnamed = all.slice(1).flatMap(({ path, dependencies = {}, named }) =>
      folder(`${dirname(path)}/{src,test}/**/*.ts`).flatMap((file) => {
        const own = /^packages\/(?:testing|[\w-]+\/test)\//.test(file) ? named : dependencies
        const needs = specifiersIn(file).map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'))
        return needs.filter((name) => known.has(name) && !(name in own)).map((name) => `${file} -> ${name}`)
      }),
    )
    expect(unnamed).toEqual([])
  })

  test('hide what is behind their doors from src', () => {
    const inner = folder('src/**/*.{ts,tsx}').flatMap((file) =>
      specifiersIn(file).filter((path) => /packages\//.test(path)),
    )
    expect(inner).toEqual([])
  })
})

test('the folders of the command line import one another in one direction', () => {
  const names = readdirSync(join(root, 'src/runtime/cli'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `src/runtime/cli/${name}`)
  const needs = names.map((name): [string, Set<string>] => {
    const targets = files.filter((file) => isWithin(file, name)).flatMap(importsOf)
    return [name, new Set(names.filter((other) => other !== name && targets.some((target) => isWithin(target, other))))]
  })
  expect(circleIn(new Map(needs))).toEqual([])
})

test('csp --help loads a few files', () => {
  const loaded = loadedBy(['entry', 'command-line', 'update-check'].map((name) => `src/runtime/${name}.ts`))
  expect(loaded).toContain('src/runtime/cli/help.ts')
  // 539 when all commands were loaded for it. It needs no setting, and no library from npm.
  expect(loaded.length).toBeLessThan(35)
  expect(loaded.filter((file) => !/^node:|^bun$|\.tsx?$|^package\.json$/.test(file))).toEqual([])
})

test('what the edge runs reaches nothing that is bound to a runtime', () => {
  expect(runtimeFree.filter((place) => !existsSync(join(root, place)))).toEqual([])
  const reached = closureOf(files.filter((file) => runtimeFree.some((place) => isWithin(file, place))))
  const bound = reached.filter((file) => boundToRuntime.includes(file) || isWithin(file, 'src/runtime'))
  expect(bound.filter((file) => file !== 'src/runtime/version.ts')).toEqual([])
})

test('what the library runs is there on the oldest node that csp supports', () => {
  const newer = /\bURL\.parse\(|Promise\.(?:withResolvers|try)\(|Array\.fromAsync\(|\.groupBy\(/
  expect(closureOf(['src/library/library.ts']).filter((file) => newer.test(read(file)))).toEqual([])
})

describe('dialects', () => {
  const vendors = readdirSync(join(root, 'src/api/dialects')).filter((name) => name !== 'shared')

  test('do not import one another', () => {
    expect(vendors.length).toBeGreaterThan(8)
    const all = [...vendors, 'shared'].map((name) => `src/api/dialects/${name}`)
    const foreign = (own: string) => all.filter((place) => place !== own && !place.endsWith('/shared'))
    const meetings = all.flatMap((own) =>
      files
        .filter((file) => isWithin(file, own))
        .flatMap((file) => offenders(file, (target) => foreign(own).some((place) => isWithin(target, place)))),
    )
    expect(meetings).toEqual([])
  })

  test('have a manifest that names their errors and one file to load', () => {
    const ofManifest =
      /(?:^|\/)(?:error|endpoints|search|calls|execute)\.ts$|src\/api\/vendor\.ts$|dialects\/shared\/(?:errors|vertex)\.ts$/
    const manifests = vendors.map((vendor) => `src/api/dialects/${vendor}/vendor.ts`)
    expect(manifests.flatMap((file) => offenders(file, (target) => !ofManifest.test(target)))).toEqual([])
  })
})

test('this test sees imports of every kind, and a runtime in code alone', () => {
  const code = "import type { A } from './a.ts'\nexport { b } from './b.ts'\nawait import('./c.ts')\nimport './d.ts'"
  expect(specifiersOf(code)).toEqual(['./a.ts', './b.ts', './c.ts', './d.ts'])
  expect(specifiersOf("import {\n  a,\n  type B,\n} from '@csp/lib/e'")).toEqual(['@csp/lib/e'])
  expect(globalsIn('Bun.serve({}); const home = globalThis.process.env.HOME')).toEqual(['Bun', 'process'])
  expect(
    globalsIn("// Bun\nimport './process.ts'\nclass A { #process = 1; own = this.#process + it.process.pid }"),
  ).toEqual([])
})

/** The imports of a file that a rule forbids, to be read in a list. */
function offenders(file: string, isForbidden: (target: string) => boolean): readonly string[] {
  return importsOf(file)
    .filter(isForbidden)
    .map((target) => `${file} -> ${target}`)
}

/** The longest name of `imports` that a file of src lies in; the file where none is named. */
function placeOf(file: string): string {
  const places = Object.keys(imports).filter((place) => isWithin(file, `src/${place}`))
  return places.toSorted((a, b) => b.length - a.length)[0] ?? file
}

function isWithin(file: string, place: string): boolean {
  return file === place || file.startsWith(`${place}/`)
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

function linesOf(file: string): number {
  return read(file).trimEnd().split('\n').length
}

/** Our own files that a file imports. */
function importsOf(file: string): readonly string[] {
  return specifiersIn(file).flatMap((specifier) => targetOf(file, specifier) ?? [])
}

function targetOf(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return join(dirname(file), specifier)
  const [, name, door] = /^@csp\/([\w-]+)\/(.+)$/.exec(specifier) ?? []
  return name && `packages/${name}/src/${door}.ts`
}

function specifiersIn(file: string): readonly string[] {
  return specifiersOf(read(file))
}

function specifiersOf(code: string): readonly string[] {
  const pattern = /(?:^|\n)\s*(?:import|export)\s[^'"\n;]*?(?:\{[^}]*\}\s*)?(?:from\s*)?'([^']+)'|import\(\s*'([^']+)'/g
  return [...code.matchAll(pattern)].map(([, still, lazy]) => still ?? lazy ?? '')
}

function runtimeNamesIn(file: string): readonly string[] {
  if (file.endsWith('.css')) return []
  const loader = file.endsWith('.tsx') ? 'tsx' : 'ts'
  return [...specifiersIn(file).filter((path) => /^(node:|bun(:|$))/.test(path)), ...globalsIn(read(file), loader)]
}

/** Read from the transpiled code, which has no comments and no types. */
function globalsIn(code: string, loader: 'ts' | 'tsx' = 'ts'): readonly string[] {
  const plain = new Bun.Transpiler({ loader }).transformSync(code)
  const names = plain.matchAll(/(?:(?<![./#\w$])|\bglobalThis\.)(Bun|Buffer|process|require|__dirname)(?=\s*[.([])/g)
  return [...new Set([...names].map(([, name]) => name ?? ''))]
}

function closureOf(roots: readonly string[], targetsOf = importsOf): readonly string[] {
  const reached = new Set(roots)
  for (const file of reached)
    if (existsSync(join(root, file))) for (const target of targetsOf(file)) reached.add(target)
  return [...reached]
}

/** What files load as they start, libraries included: without types, and without what is imported later. */
function loadedBy(roots: readonly string[]): readonly string[] {
  return closureOf(roots, (file) => {
    if (!/\.tsx?$/.test(file)) return []
    const found = new Bun.Transpiler({ loader: 'ts' }).scanImports(read(file))
    return found.flatMap(({ path, kind }) => (kind === 'dynamic-import' ? [] : (targetOf(file, path) ?? path)))
  })
}

/** Those that need one another. */
function circleIn(needs: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  let left = [...needs.keys()]
  for (let size = -1; size !== left.length; ) {
    size = left.length
    left = left.filter((name) => left.some((other) => other !== name && needs.get(name)?.has(other)))
  }
  return left
}
