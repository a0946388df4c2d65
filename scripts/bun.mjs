// `node scripts/bun.mjs test …` is `bun test …` where no bun is on PATH and its install script may have been blocked.
import { runBun } from '../bin/run-bun.mjs'

runBun(process.argv.slice(2))
