/**
 * A port of this machine that nothing listens on, as a flag takes it. It is none of those that the system gives to
 * connections and to servers at port 0, which could take it before its server starts. Each process of tests has ports of
 * its own.
 */
export function freePort(): string {
  for (let tries = 0; tries < 1000; tries++) {
    next = next + 1 >= first + span ? first : next + 1
    try {
      void Bun.serve({ port: next, fetch: () => new Response() }).stop(true)
      return String(next)
    } catch {
      // Another server has it.
    }
  }
  throw new Error('no port is free')
}

const span = 100
const first = 20_000 + (process.pid % 100) * span
let next = first - 1
