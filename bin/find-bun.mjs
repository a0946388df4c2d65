import { existsSync, readdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/**
 * The path of a Bun that runs here: the one this process runs on, else the dependency's, else `bun` from PATH.
 * A blocked install script leaves a stub of a few hundred bytes in the `bun` package, and the true file beside it in
 * `@oven/bun-<platform>`.
 */
export function findBun() {
  if (process.versions.bun) return process.execPath
  const packaged = bunPackage()
  if (!packaged) return 'bun'
  const own = join(packaged, 'bin', 'bun.exe')
  return isProgram(own) ? own : (platformPackages(join(dirname(packaged), '@oven')).find(isProgram) ?? 'bun')
}

function bunPackage() {
  try {
    return dirname(createRequire(import.meta.url).resolve('bun/package.json'))
  } catch {
    return undefined
  }
}

/** The packages for this system; on Linux the one for its own C library first. */
function platformPackages(scope) {
  if (!existsSync(scope)) return []
  const windows = process.platform === 'win32'
  const architecture = process.arch === 'arm64' ? 'aarch64' : process.arch
  const name = `bun-${windows ? 'windows' : process.platform}-${architecture}`
  const found = readdirSync(scope).filter((entry) => entry === name || entry.startsWith(`${name}-`))
  // The report takes as long as the rest of this launcher, and there is usually one package.
  const musl =
    found.length > 1 && process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime
  const wanted = musl ? `${name}-musl` : name
  return found
    .sort((left, right) => Number(right === wanted) - Number(left === wanted))
    .map((entry) => join(scope, entry, 'bin', windows ? 'bun.exe' : 'bun'))
}

function isProgram(path) {
  return existsSync(path) && statSync(path).size > 1_000_000
}
