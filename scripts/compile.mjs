// Builds dist/csp, one file that needs no runtime. Extra arguments go to `bun build`, such as --target=bun-darwin-arm64.
import { fileURLToPath } from 'node:url'
import { runBun } from '../bin/run-bun.mjs'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
runBun([
  'build',
  '--compile',
  '--minify',
  '--bytecode',
  '--format=esm',
  // Without these two the binary runs what it finds in the caller's folder.
  '--no-compile-autoload-dotenv',
  '--no-compile-autoload-bunfig',
  '--outfile=dist/csp',
  ...process.argv.slice(2),
  'src/runtime/entry.ts',
])
