import { startSandbox } from '../packages/sandbox/test/support/sandbox.ts'
import { startCsp } from '../tests/support/csp-process.ts'
import { processorTime } from './processor-time.ts'

// What a csp costs that nobody asks: processor time and lines of the log within a minute, ten seconds after its last
// search. `bench/idle.ts 300` measures five minutes.

const seconds = Number(process.argv[2] ?? 60)
await measure('whose CLI is kept warm', '0')
await measure('whose CLI has ended', '5')

async function measure(name: string, idleTime: string): Promise<void> {
  const sandbox = startSandbox()
  const csp = await startCsp({ standInUrl: sandbox.url, flags: ['--idle-time', idleTime] })
  const now = () => ({ ...processorTime(csp.serverPid()), lines: csp.log().split('\n').length })
  try {
    const search = await fetch(`${csp.url}/v1/search?q=harbour+seals`)
    if (!search.ok) throw new Error(`The search failed with ${search.status}.`)
    await Bun.sleep(10_000)
    const before = now()
    await Bun.sleep(seconds * 1000)
    const after = now()
    const spent = `${after.csp - before.csp} ms of csp, ${after.cli - before.cli} ms of the CLI`
    console.log(`${seconds} s of a csp ${name}: ${spent}, ${after.lines - before.lines} lines of the log`)
  } finally {
    await csp.stop()
    await sandbox.stop()
  }
}
