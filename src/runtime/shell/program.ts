import { existsSync, realpathSync } from 'node:fs'
import { basename, delimiter, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { shellWord } from '@csp/lib/text'
import { distribution } from './distribution.ts'
import { entryFile, isCompiled, packageRoot as root } from './package-root.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** How to start a program: without a shell, from any folder. */
export interface Program {
  readonly command: string
  readonly args: readonly string[]
  /** Variables that it needs besides those of the program that starts it. */
  readonly env?: Readonly<Record<string, string>> | undefined
}

/**
 * This csp with other arguments, as other programs start it. From a folder of npx or bunx, which are emptied, it is the
 * command that brings the package again.
 */
export function ownProgram(
  environment: Environment,
  args: readonly string[],
  where: Installation = installation,
): Program {
  if (where.file === process.execPath) return { command: process.execPath, args }
  return (
    packageRunner(environment, args, where) ?? {
      command: lastingNode(environment) ?? Bun.which('node') ?? 'node',
      args: [where.file, ...args],
    }
  )
}

/** npx or bunx with the name of the package, by its path; `undefined` if csp lies in a folder that stays. */
function packageRunner(environment: Environment, args: readonly string[], { file }: Installation): Program | undefined {
  if (!isTemporary(file)) return undefined
  const PATH = lastingPath(environment)
  const isBunx = /[/\\]bunx-[^/\\]+[/\\]/.test(file)
  for (const runner of isBunx ? ['bunx', 'npx'] : ['npx', 'bunx']) {
    const command = Bun.which(runner, { PATH })
    // A program with a window has a short PATH, and these are scripts of a node or a bun that lies beside them.
    const env = { PATH: [...new Set([dirname(command ?? ''), ...usualFolders])].join(delimiter) }
    if (command) return { command, args: [...(runner === 'npx' ? ['-y'] : []), packageName, ...args], env }
  }
  return undefined
}

const { packageName } = distribution
const usualFolders = process.platform === 'win32' ? [] : ['/usr/local/bin', '/usr/bin', '/bin']

/** This csp with other arguments, as one process that outlives the one that starts it: without the launcher. */
export function ownServerProgram(...args: readonly string[]): Program {
  if (isCompiled) return { command: process.execPath, args }
  // As in bin/csp.mjs.
  const tsconfig = ['tsconfig.json', 'package.json'].map((name) => join(root, name)).find(existsSync)
  const ownFiles = [`--config=${join(root, 'bunfig.toml')}`, `--tsconfig-override=${tsconfig}`]
  const flags = ['--no-env-file', ...ownFiles, '--no-install']
  return { command: process.execPath, args: [...flags, entryFile, ...args] }
}

/**
 * This csp with other arguments, as a service starts it: by absolute paths that stay. `undefined` if this csp lies in
 * a folder of npx, bunx and the like, which are emptied.
 */
export function serviceProgram(environment: Environment, ...args: readonly string[]): Program | undefined {
  if (isTemporary(installation.file)) return undefined
  const node = isCompiled ? undefined : lastingNode(environment)
  if (node === undefined) return ownServerProgram(...args)
  return { command: node, args: [installation.file, ...args] }
}

/** The node of PATH, whose place survives an update, if it is the one that runs csp; otherwise that one. */
function lastingNode(environment: Environment): string | undefined {
  const own = environment['CSP_NODE']
  const found = Bun.which('node', { PATH: lastingPath(environment) }) ?? undefined
  if (!own || isTemporary(own) || !isAbsolute(own)) return found
  return found && isSame(found, own) ? found : own
}

/** The PATH of the user, as far as it will be there at the next login. */
export function lastingPath({ PATH = '' }: Environment): string {
  return [...new Set(PATH.split(delimiter))].filter((folder) => isOwn(folder) && !isTemporary(folder)).join(delimiter)
}

/** Whether a path lies in what npx, bunx, pnpm, yarn or fnm make for one command or one terminal. */
export function isTemporary(path: string): boolean {
  return path.split(/[/\\]/).some((name) => /^(?:_npx|bunx-.+|bun-node-.+|dlx(?:-.+)?|fnm_multishells)$/.test(name))
}

/** Where this csp is, and how it is called. */
export interface Installation {
  /** The folder of the package. */
  readonly root: string
  /** The program that runs: the launcher, or a compiled csp. */
  readonly file: string
}

const installation: Installation = { root, file: isCompiled ? process.execPath : join(root, 'bin/csp.mjs') }

/** How csp came here, and so how a newer one does. */
export const installationKind = isCompiled ? 'binary' : isPackage(root) ? 'package' : 'checkout'

/**
 * What a user of this terminal types to call this csp: `csp` where PATH has it, `npx csp` in a checkout,
 * `npx claude-search-proxy` for a package that PATH does not have, otherwise its path. Outside of a checkout `npx csp`
 * would run a package of somebody else's.
 */
export function ownCommand(environment: Environment, directory: string, where: Installation = installation): string {
  const found = onOwnPath('csp', environment)
  if (found && isSame(found, where.file)) return 'csp'
  if (where.file === process.execPath) return shellWord(where.file)
  if (isPackage(where.root)) return `npx ${packageName}`
  const way = relative(where.root, directory)
  const isInside = !way.startsWith('..') && !isAbsolute(way)
  const isLinked = existsSync(join(where.root, 'node_modules/.bin/csp'))
  return isInside && isLinked ? 'npx csp' : shellWord(where.file)
}

/**
 * How this csp is called, for commands in messages: `${csp} doctor`. Where csp is not the program that runs, as in a script
 * that writes the docs, it is `csp`.
 */
export const csp =
  isCompiled || isSame(Bun.main, entryFile) || isSame(Bun.main, installation.file)
    ? ownCommand(process.env, currentFolder() ?? '/')
    : 'csp'

/** The folder that csp is called in; `undefined` for one that was removed meanwhile. */
export function currentFolder(): string | undefined {
  try {
    return process.cwd()
  } catch {
    return undefined
  }
}

/** What a user types to call a program at this path: its name where PATH leads to it, otherwise the path. */
export function commandFor(path: string, environment: Environment): string {
  const name = basename(path).replace(/\.(?:exe|cmd)$/, '')
  const found = onOwnPath(name, environment)
  return found && isSame(found, path) ? name : shellWord(path)
}

/** A page of the documentation: its path, where the package has it. */
export function docsPage(name: string): string {
  const path = join(root, 'docs', name)
  return isCompiled ? `docs/${name} of the package ${packageName}` : path
}

/** Looks on the PATH of the user's terminal: npm and npx put folders before it while they run a program. */
function onOwnPath(name: string, { PATH = '' }: Environment): string | undefined {
  return Bun.which(name, { PATH: PATH.split(delimiter).filter(isOwn).join(delimiter) }) ?? undefined
}

/** True unless npm added this PATH entry. */
function isOwn(folder: string): boolean {
  return isAbsolute(folder) && !/[/\\](?:node_modules[/\\]\.bin|node-gyp-bin)[/\\]?$/.test(folder)
}

function isPackage(folder: string): boolean {
  return folder.split(sep).includes('node_modules')
}

function isSame(left: string, right: string): boolean {
  try {
    return realpathSync(left) === realpathSync(right)
  } catch {
    return false
  }
}
