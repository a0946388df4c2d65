import { main } from './cli.ts'
import { processShell } from './shell.ts'

// Whoever reads our output may leave early, as `head` does: that is no fault.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
  process.on(event, (error: unknown) => {
    process.stderr.write(
      `csp has crashed. ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    )
    // Children and scratch folders are removed by the listeners of `exit`.
    process.exit(1)
  })
}

const code = await main(process.argv.slice(2), processShell())
await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))))
process.exit(code)
