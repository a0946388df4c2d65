import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { findBun } from './find-bun.mjs'

/**
 * Runs Bun in this process's place: same terminal, signals passed on, and its end becomes ours. `variables` are added to
 * the environment where it does not have them.
 */
export function runBun(args, variables = {}) {
  const child = spawn(findBun(), args, { stdio: 'inherit', env: { ...variables, ...process.env } })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    console.error(`csp runs on Bun, which could not be started (${error.message}).`)
    console.error('Reinstall with `npm install`, or get Bun with `npm install -g bun` or from https://bun.sh.')
    process.exit(1)
  })
  child.on('exit', (code, signal) => {
    // Bun had no time for a last word.
    if (signal)
      console.error(`csp was ended by ${signal}${signal === 'SIGKILL' ? ', perhaps for want of memory' : ''}.`)
    process.exit(code ?? 128 + (constants.signals[signal] ?? 0))
  })
}
