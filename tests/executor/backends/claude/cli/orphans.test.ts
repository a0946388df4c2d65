import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { startSandbox } from '../../../../../packages/sandbox/test/support/sandbox.ts'
import { strategies } from '../../../../support/claude-executor.ts'
import { descendantsOf, untilGone } from '../../../../support/processes.ts'
import { claudeEnvironment, scratchHome } from '../../../../support/real-claude.ts'

const program = join(import.meta.dir, '../../../../fixtures/search-forever.ts')

test('when csp is killed in the middle of its searches, none of its processes is left', async () => {
  await using sandbox = startSandbox({ scenario: 'hang' })
  await using home = await scratchHome()
  const parent = Bun.spawn([process.execPath, program], {
    env: claudeEnvironment(sandbox.url, home.path),
    stdout: 'ignore',
  })
  await sandbox.sandbox.until(({ calls }) => calls === Object.keys(strategies).length)
  const pids = descendantsOf(parent.pid)
    .filter((child) => child.parent === parent.pid)
    .map(({ pid }) => pid)
  expect(pids.length).toBeGreaterThanOrEqual(4)
  parent.kill('SIGKILL')
  await parent.exited
  await untilGone(pids)
  await sandbox.sandbox.until(({ open }) => open === 0)
})
