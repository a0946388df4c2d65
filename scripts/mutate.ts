// `npm run mutate -- --in packages/gateway/src --count 40 --seed 3`: makes small changes of the sources, one at a time and in a copy,
// runs the tests that reach the changed file, the nearest first, and lists the changes that none of them noticed.
// `--changed COMMIT` takes only lines that changed since then. Fails where less than 85 % were noticed. A change that is
// listed needs a test, or the code makes no difference and can go; some are equal in effect.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, normalize, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { type Mutation, mutated, mutationsOf } from './mutations.ts'

const goal = 0.85
const maxQuickFiles = 60
const maxSlowFiles = 8

const { values: options } = parseArgs({
  options: {
    in: { type: 'string', default: 'src' },
    count: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    changed: { type: 'string' },
  },
})

const project = process.cwd()
const copy = copyOf(project)
let running: Bun.Subprocess | undefined
process.on('exit', () => {
  running?.kill('SIGKILL')
  rmSync(copy, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1))

const files = [...new Bun.Glob('{src,tests,packages}/**/*.{ts,tsx}').scanSync(copy)].sort()
const importers = importersOf(files)
const slow = slowFiles()
/** Groups of test files that pass without a change. */
const passing = new Set<string>()

const changed = options.changed === undefined ? undefined : linesSince(options.changed)
const folders = options.in.split(',')
const possible = files
  .filter((file) => /^(?:src|packages\/[\w-]+\/src)\//.test(file) && folders.some((folder) => file.startsWith(folder)))
  .flatMap(mutationsIn)
const tried = shuffled(possible, Number(options.seed)).slice(0, Number(options.count))
console.error(`${possible.length} possible changes; ${tried.length} are tried`)
const counts = { noticed: 0, unnoticed: 0, unsure: 0 }
for (const mutation of tried) {
  const result = await resultOf(mutation)
  counts[result]++
  if (result !== 'noticed') console.log(`${mutation.file}:${mutation.line}  ${described(mutation)}  ${result}`)
}
const judged = counts.noticed + counts.unnoticed
const share = judged === 0 ? 1 : counts.noticed / judged
console.log(`${counts.noticed} of ${judged} changes noticed (${Math.round(share * 100)} %)`)
process.exitCode = share >= goal ? 0 : 1

/** The project's files as they are now, also those that are not committed yet, with its dependencies. */
function copyOf(folder: string): string {
  const target = mkdtempSync(join(tmpdir(), 'csp-mutate-'))
  const listed = git(['ls-files', '--cached', '--others', '--exclude-standard', '-z']).split('\0')
  for (const path of listed.filter(
    (path) => path !== '' && path !== 'node_modules' && Bun.file(join(folder, path)).size > 0,
  )) {
    mkdirSync(dirname(join(target, path)), { recursive: true })
    cpSync(join(folder, path), join(target, path), { verbatimSymlinks: true })
  }
  // Entry by entry, so that the packages are those of the copy.
  const modules = join(target, 'node_modules')
  mkdirSync(join(modules, '@csp'), { recursive: true })
  for (const name of readdirSync(join(folder, 'node_modules')).filter((each) => each !== '@csp'))
    symlinkSync(join(folder, 'node_modules', name), join(modules, name))
  for (const name of existsSync(join(target, 'packages')) ? readdirSync(join(target, 'packages')) : [])
    symlinkSync(join('../../packages', name), join(modules, '@csp', name))
  return target
}

function git(words: readonly string[]): string {
  const { stdout, stderr, success } = Bun.spawnSync(['git', ...words], { cwd: project })
  if (!success) throw new Error(`git ${words[0]}: ${stderr.toString()}`)
  return stdout.toString()
}

/** By a file's path, those that name it: in an import, or as a program that they bundle or start. */
function importersOf(paths: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>(paths.map((path) => [path, []]))
  for (const path of paths) {
    const names = readFileSync(join(copy, path), 'utf8')
      .replaceAll(
        /'@csp\/([\w-]+)\/([^']+)'/g,
        (_, name, door) => `'${relative(dirname(path), `packages/${name}/src/${door}.ts`)}'`,
      )
      .matchAll(/'([^'\n]+\.tsx?)'/g)
    for (const name of new Set(Array.from(names, ([, name = '']) => name)))
      found.get(normalize(join(dirname(path), name)))?.push(path)
  }
  return found
}

/** Slow test files: those that start a process, a browser or workerd, what imports one of them, and some long ones. */
function slowFiles(): ReadonlySet<string> {
  const starts =
    /\bBun\.spawn|\bnode:child_process'|'miniflare'|'playwright-core'|\bStdioClientTransport\b|real-claude\.ts'/
  const isLong =
    /^tests\/(?:docs|edge|end-to-end|faults|integrations|security)\/|\/(?:worst-letters|clients)\.test\.ts$/
  const isTest = (path: string) => /^(?:tests|packages\/[\w-]+\/test)\//.test(path)
  const tests = files.filter(isTest)
  const found = new Set(tests.filter((path) => starts.test(readFileSync(join(copy, path), 'utf8'))))
  for (const path of found) for (const importer of importers.get(path) ?? []) if (isTest(importer)) found.add(importer)
  return new Set([...found, ...tests.filter((path) => isLong.test(path))])
}

function mutationsIn(file: string): readonly Mutation[] {
  const found = mutationsOf(file, readFileSync(join(copy, file), 'utf8'))
  return changed ? found.filter(({ line }) => changed.has(`${file}:${line}`)) : found
}

/** The lines that are new since a commit, as `file:line`. */
function linesSince(commit: string): ReadonlySet<string> {
  const found = new Set<string>()
  for (const part of git(['diff', '--unified=0', '--no-prefix', commit, '--', 'src', 'packages']).split(
    '\ndiff --git ',
  )) {
    const [, file] = /^\+\+\+ (.*)$/m.exec(part) ?? []
    for (const [, first, length = '1'] of part.matchAll(/^@@ \S+ \+(\d+)(?:,(\d+))? @@/gm))
      for (let line = 0; line < Number(length); line++) found.add(`${file}:${Number(first) + line}`)
  }
  return found
}

/** In an order that the seed decides. */
function shuffled<T>(list: readonly T[], seed: number): readonly T[] {
  return list
    .map((item, index) => ({ item, place: Bun.hash.wyhash(`${index}`, BigInt(seed)) }))
    .sort((left, right) => (left.place < right.place ? -1 : 1))
    .map(({ item }) => item)
}

async function resultOf(mutation: Mutation): Promise<keyof typeof counts> {
  const path = join(copy, mutation.file)
  const text = readFileSync(path, 'utf8')
  for (const group of groupsFor(mutation.file)) {
    writeFileSync(path, mutated(text, mutation))
    const passes = await pass(group)
    writeFileSync(path, text)
    if (passes) continue
    const name = group.join(' ')
    if (!passing.has(name) && !(await pass(group))) return 'unsure'
    passing.add(name)
    return 'noticed'
  }
  return 'unnoticed'
}

/** The test files that reach a file: the quick ones first, the nearest of them on their own. */
function groupsFor(file: string): readonly (readonly string[])[] {
  const steps = new Map([[file, 0]])
  for (const [at, distance] of steps)
    for (const importer of importers.get(at) ?? []) if (!steps.has(importer)) steps.set(importer, distance + 1)
  const mirrored = file.startsWith('src/')
    ? dirname(file).replace('src', 'tests')
    : dirname(file).replace('/src', '/test')
  const reached = [...steps.keys()].filter((path) => /\.test\.tsx?$/.test(path))
  // Its own folder also has those that start csp as a program, which import nothing of it.
  const tests = new Set([...reached, ...files.filter((path) => path.startsWith(mirrored) && path.endsWith('.test.ts'))])
  const nearest = [...tests].sort((left, right) => sharedFolders(right, mirrored) - sharedFolders(left, mirrored))
  const quick = nearest.filter((path) => !slow.has(path)).slice(0, maxQuickFiles)
  const others = nearest.filter((path) => slow.has(path)).slice(0, maxSlowFiles)
  return [quick.slice(0, 5), quick.slice(5), others].filter((group) => group.length > 0)
}

/** How many folders a path begins with that another has, too. */
function sharedFolders(path: string, folder: string): number {
  const others = folder.split('/')
  const own = path.split('/')
  const first = own.findIndex((name, at) => name !== others[at])
  return first < 0 ? own.length : first
}

/** Waits without keeping the process from hearing its signals. */
async function pass(tests: readonly string[]): Promise<boolean> {
  const command = [process.execPath, '--no-orphans', 'test', '--bail']
  running = Bun.spawn([...command, ...tests.map((file) => `./${file}`)], {
    cwd: copy,
    env: { ...process.env, PROPERTY_RUNS: '0.1', TEST_TIMEOUT: '30000' },
    timeout: 240_000,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  return (await running.exited) === 0
}

function described({ file, start, was, becomes }: Mutation): string {
  const text = readFileSync(join(copy, file), 'utf8')
  const line = text.slice(text.lastIndexOf('\n', start) + 1, start) + text.slice(start).split('\n', 1)[0]
  const short = (code: string) => code.replaceAll(/\s+/g, ' ').slice(0, 120)
  return `\`${line.trim()}\`  \`${short(was)}\` → \`${short(becomes)}\``
}
