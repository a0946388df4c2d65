import { accessSync, closeSync, constants, openSync, readFileSync, readSync, realpathSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import type { Environment } from './launch.ts'

/**
 * Finds the Claude Code CLI: `CSP_CLAUDE_BIN`, then `claude` on PATH, then where installers put it, then a package beside
 * one of the roots. Returns its absolute path, if found.
 */
export function findClaude(
  environment: Environment,
  roots: readonly string[] = [],
  folders = installFolders(environment),
): string | undefined {
  const named = environment['CSP_CLAUDE_BIN']
  if (named) return isProgram(named) ? resolve(named) : undefined
  return findIn((environment['PATH'] ?? '').split(delimiter)) ?? findIn(folders) ?? findInPackages(roots)
}

/**
 * Where installers put the CLI: the vendor's own, npm with its usual prefixes, and other package managers. Programs with
 * a window, launchd, systemd and cron have none of these on their PATH.
 */
export function installFolders(environment: Environment): readonly string[] {
  const home = environment['HOME'] || environment['USERPROFILE']
  const inHome = (...paths: readonly string[]) => (home ? paths.map((path) => join(home, path)) : [])
  // csp's launcher says which node is there, perhaps by a link; npm installs programs beside its node.
  const node = environment['CSP_NODE']
  const prefixes = [environment['npm_config_prefix'], environment['NPM_CONFIG_PREFIX'], home && prefixIn(home)]
  const bin = (prefix: string) => (process.platform === 'win32' ? prefix : join(prefix, 'bin'))
  const { PNPM_HOME, APPDATA } = environment
  return [
    ...inHome('.local/bin', '.claude/local', '.claude/local/node_modules/.bin', '.claude/bin'),
    ...(node ? [dirname(node), ...besideTarget(node)] : []),
    ...prefixes.flatMap((prefix) => (prefix ? [bin(prefix)] : [])),
    ...inHome('.npm-global/bin', '.npm-packages/bin', '.bun/bin', '.volta/bin', '.local/share/pnpm'),
    ...(PNPM_HOME ? [PNPM_HOME] : []),
    ...(APPDATA ? [join(APPDATA, 'npm')] : []),
    ...(process.platform === 'win32' ? [] : systemFolders),
  ]
}

const systemFolders = ['/opt/homebrew/bin', '/usr/local/bin', '/home/linuxbrew/.linuxbrew/bin', '/usr/bin']

/** Where csp looks for the CLI, in plain words. */
export const placesSearched =
  'PATH, ~/.local/bin, ~/.claude/local, the folder of node, the prefixes of npm, /opt/homebrew/bin and /usr/local/bin'

/** Which file a path leads to: changes with an update, also where the same path then leads to another file. */
export function fileAt(path = ''): string | undefined {
  try {
    const { ino, size, mtimeMs } = statSync(path)
    return `${realpathSync(path)} ${ino} ${size} ${mtimeMs}`
  } catch {
    return undefined // an installer may be about to put it there
  }
}

/** The folder of what a link leads to. */
function besideTarget(path: string): readonly string[] {
  try {
    return [dirname(realpathSync(path))]
  } catch {
    return []
  }
}

/** The prefix that the user has set for npm, as `npm config set prefix` does. */
function prefixIn(home: string): string | undefined {
  try {
    const settings = readFileSync(join(home, '.npmrc'), 'utf8')
    const [, prefix] = /^[ \t]*prefix[ \t]*=[ \t]*"?([^"\s][^"\n]*)/m.exec(settings) ?? []
    return prefix?.trimEnd().replace(/^(?:~|\$\{HOME\})(?=\/)/, home)
  } catch {
    return undefined
  }
}

function findIn(folders: readonly string[]): string | undefined {
  const names = process.platform === 'win32' ? ['claude.exe', 'claude.cmd'] : ['claude']
  for (const folder of folders) {
    if (!isAbsolute(folder)) continue // relative to another folder in the child
    const found = names.map((name) => join(folder, name)).find(isProgram)
    if (found) return found
  }
  return undefined
}

/** Skips the package's own launcher, which is a stub where install scripts are blocked. */
function findInPackages(roots: readonly string[]): string | undefined {
  const program = process.platform === 'win32' ? 'claude.exe' : 'claude'
  const target = `${process.platform}-${process.arch}`
  const packages = [`@anthropic-ai/claude-code-${target}`, `@anthropic-ai/claude-code-${target}-musl`]
  for (const root of roots) {
    const require = createRequire(join(root, 'package.json'))
    for (const name of packages) {
      try {
        const found = join(dirname(require.resolve(`${name}/package.json`)), program)
        if (isProgram(found)) return found
      } catch {
        // Not installed for this platform.
      }
    }
  }
  return undefined
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile() && (process.platform === 'win32' || canBeRun(path))
  } catch {
    return false
  }
}

/**
 * Whether a file begins like a script or a native program. Where npm may not run install scripts, `claude` is a plain
 * text, and `npm start` puts it first on PATH.
 */
function canBeRun(path: string): boolean {
  const head = headOf(path, 4)
  return head.toString('latin1', 0, 2) === '#!' || magicNumbers.has(head.toString('hex'))
}

/** The first bytes of a file. */
export function headOf(path: string, bytes: number): Buffer {
  const head = Buffer.alloc(bytes)
  const file = openSync(path, 'r')
  try {
    readSync(file, head)
  } finally {
    closeSync(file)
  }
  return head
}

/** ELF, and Mach-O in its byte orders and as a universal file. */
const magicNumbers = new Set(['7f454c46', 'cffaedfe', 'cefaedfe', 'feedfacf', 'feedface', 'cafebabe'])
