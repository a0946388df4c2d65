import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { findBun } from './find-bun.mjs'

/** Runs Bun in this process's place: same terminal, signals passed on, and its end becomes ours. */
export function runBun(args) {
  const child = spawn(findBun(), args, { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    console.error(`csp runs on Bun, which could not be started (${error.message}).`)
    console.error('Reinstall with `npm install`, or get Bun with `npm install -g bun` or from https://bun.sh.')
    process.exit(1)
  })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))
}
