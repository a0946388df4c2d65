// Builds dist/package, which is what npm gets: the programs as bundles, the library with its types, and a manifest whose
// only dependency is Bun. Everything else that runs is in the bundles, so an install is three packages and not 150. Once
// package.json names the repository, dist/server.json is the package's entry in the registry of MCP.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import { Glob } from 'bun'
import { z } from 'zod'
import { parseRepository } from '../src/runtime/shell/distribution.ts'
import { bundle, bundleProgram } from './bundle-program.ts'

const root = join(import.meta.dir, '..')
const target = join(root, 'dist/package')
const manifestSchema = z.looseObject({
  dependencies: z.record(z.string(), z.string()),
  files: z.array(z.string()),
  exports: z.unknown(),
  name: z.string(),
  version: z.string(),
  repository: z.string().optional(),
})

type PackageFacts = Pick<z.infer<typeof manifestSchema>, 'name' | 'version' | 'repository'>

if (import.meta.main) await buildPackage()

async function buildPackage(): Promise<void> {
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))
  const copied = manifest.files.filter((name) => name !== 'src')
  for (const name of [...copied, 'README.md', 'LICENSE'])
    cpSync(join(root, name), join(target, name), { recursive: true })
  cpSync(join(root, 'scripts/try-here.sh'), join(target, 'scripts/try-here.sh'))
  linkToRepository(manifest)
  await Promise.all([bundleProgram(target), bundleLibrary(), bundleWorker(), declareTypes()])
  const toml = readFileSync(join(root, 'wrangler.toml'), 'utf8')
  writeFileSync(
    join(target, 'wrangler.toml'),
    toml.replace('main = "src/runtime/worker.ts"', 'main = "dist/worker.js"'),
  )
  writeFileSync(join(target, 'package.json'), json(published(manifest)))
  const entry = serverEntry(manifest)
  if (entry) writeFileSync(join(root, 'dist/server.json'), json(entry))
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** The entry in the registry of MCP; `undefined` while package.json names no repository. */
export function serverEntry({ name, version, repository = '' }: PackageFacts) {
  const { owner, url } = parseRepository(repository) ?? {}
  if (!owner || !url) return undefined
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpNameOf(owner, name),
    title: 'csp',
    // 100 characters at most.
    description: 'Web search, pages and cited answers by the Claude Code CLI on your machine.',
    repository: { url, source: 'github' },
    version,
    websiteUrl: url,
    packages: [
      {
        registryType: 'npm',
        identifier: name,
        version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        packageArguments: [{ type: 'positional', value: 'mcp' }],
        environmentVariables: [
          {
            name: 'CSP_CLAUDE_BIN',
            description: 'The Claude Code CLI, where csp does not find it',
            isRequired: false,
            format: 'filepath',
          },
        ],
      },
    ],
  }
}

/** The name in the registry of MCP, which takes it from those who have that account. */
function mcpNameOf(owner: string, name: string): string {
  return `io.github.${owner}/${name}`
}

/** The manifest without what only a checkout needs. */
function published({
  private: _,
  scripts: __,
  devDependencies: ___,
  workspaces: ____,
  bundleDependencies: _____,
  ...manifest
}: z.infer<typeof manifestSchema>) {
  return {
    ...manifest,
    ...whereFrom(manifest),
    exports: {
      '.': {
        types: './dist/types/src/library/library.d.ts',
        workerd: './dist/library-worker.js',
        default: './dist/library.js',
      },
      './package.json': './package.json',
    },
    types: './dist/types/src/library/library.d.ts',
    sideEffects: ['./bin/*', './dist/csp/*', './dist/worker.js'],
    files: [...manifest.files.filter((name) => name !== 'src'), 'scripts', 'dist'],
    dependencies: { bun: manifest.dependencies['bun'] },
    allowScripts: { bun: true },
  }
}

/** Pages link to what only a checkout has: to the repository, as it was at this version. */
function linkToRepository({ repository, version }: z.infer<typeof manifestSchema>): void {
  const { url } = parseRepository(repository ?? '') ?? {}
  if (!url) return
  const isPacked = (path: string) => existsSync(join(target, path))
  for (const page of new Glob('**/*.md').scanSync(target))
    writeFileSync(
      join(target, page),
      withWholeLinks(readFileSync(join(target, page), 'utf8'), page, `${url}/blob/v${version}`, isPacked),
    )
}

/** A page whose relative links to files that are not packed lead below another address. */
export function withWholeLinks(text: string, page: string, home: string, isPacked: (path: string) => boolean): string {
  return text.replace(/\]\(([\w./-]+)((?:#[\w-]*)?\))/g, (link, path, rest) => {
    const from = posix.join(dirname(page), path)
    return isPacked(from) ? link : `](${home}/${from}${rest}`
  })
}

/** npm vouches for where a package was built, and the registry of MCP for whose it is, only if the package says so. */
function whereFrom({ name, repository }: z.infer<typeof manifestSchema>) {
  const { owner, url } = parseRepository(repository ?? '') ?? {}
  if (!owner || !url) return {}
  return {
    repository: { type: 'git', url: `git+${url}.git` },
    homepage: `${url}#readme`,
    bugs: `${url}/issues`,
    mcpName: mcpNameOf(owner, name),
  }
}

/** For node, Bun and Deno, readable, since it is read in debuggers; and for Workers, without what starts processes. */
async function bundleLibrary(): Promise<void> {
  const shared = { outdir: join(target, 'dist'), minify: { syntax: true, whitespace: false, identifiers: false } }
  await bundle({ ...shared, entrypoints: [join(root, 'src/library/library.ts')], target: 'node' })
  await bundle({
    ...shared,
    entrypoints: [join(root, 'src/library/library-worker.ts')],
    target: 'browser',
    conditions: ['workerd', 'worker'],
  })
}

/** The Worker that `csp setup edge` deploys; wrangler bundles it once more. */
async function bundleWorker(): Promise<void> {
  await bundle({
    entrypoints: [join(root, 'src/runtime/worker.ts')],
    outdir: join(target, 'dist'),
    target: 'browser',
    conditions: ['workerd', 'worker'],
    external: ['cloudflare:*', 'node:*'],
  })
}

/** The declarations that the library's own refer to. They import nothing but one another. */
async function declareTypes(): Promise<void> {
  const made = join(root, 'dist/types')
  rmSync(made, { recursive: true, force: true })
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const compiler = Bun.spawn([process.execPath, tsc, '-p', 'tsconfig.library.json', '--outDir', made], {
    cwd: root,
    stdout: 'inherit',
    stderr: 'inherit',
  })
  if ((await compiler.exited) !== 0) throw new Error('The types of the library could not be made.')
  const pending = ['src/library/library.d.ts']
  for (const file of pending) {
    // What a package of this checkout declares is beside the rest.
    const text = readFileSync(join(made, file), 'utf8').replace(/from '@csp\/([\w-]+)\/([^']+)'/g, (_, name, door) => {
      const path = relative(dirname(file), `packages/${name}/src/${door}.ts`)
      return `from '${path.startsWith('.') ? path : `./${path}`}'`
    })
    for (const [, specifier = ''] of text.matchAll(/from '([^']+)'/g)) {
      if (!specifier.startsWith('.')) throw new Error(`${file} imports ${specifier}, which users may not have.`)
      const next = relative(made, join(made, dirname(file), specifier.replace(/\.ts$/, '.d.ts')))
      if (!pending.includes(next)) pending.push(next)
    }
    mkdirSync(dirname(join(target, 'dist/types', file)), { recursive: true })
    writeFileSync(join(target, 'dist/types', file), text.replace(/(from '[^']+)\.ts'/g, "$1.js'"))
  }
  rmSync(made, { recursive: true, force: true })
}
