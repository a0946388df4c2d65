import { join } from 'node:path'

/** A compiled csp is one file; its sources live in a file system of Bun's own. */
export const isCompiled = import.meta.dir.startsWith('/$bunfs') || import.meta.dir.startsWith('B:\\~BUN')

/** A checkout runs its sources, the package on npm a bundle of them in `dist/csp`. */
const isBundled = import.meta.path.endsWith('.js')

const wayUp = isBundled ? '../..' : '../../..'

/** The folder of the package. */
export const packageRoot = join(import.meta.dir, wayUp)

/** What Bun runs. */
export const entryFile = join(packageRoot, isBundled ? 'dist/csp/entry.js' : 'src/runtime/entry.ts')
