import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { startCsp } from '../support/csp-process.ts'
import { describeNeeding } from '../support/needs.ts'
import { launcher } from '../support/tested-program.ts'

const today = () => new Date().toISOString().slice(0, 10)
const names = () => [
  ...['jobs/jobs.sqlite', 'memory/memory.sqlite', 'format.json', 'gateway/models.json'],
  ...[`usage/${today()}.ndjson`, 'run/52480-aaaaaaaa.json'],
]

const odd: Readonly<Record<string, (path: string) => void>> = {
  'a pipe': (path) => void Bun.spawnSync(['mkfifo', path]),
  'a folder with files of others': (path) => mkdirSync(join(path, 'other'), { recursive: true }),
  'a link to a device': (path) => symlinkSync('/dev/zero', path),
}

describeNeeding('mkfifo', process.platform === 'linux' && Bun.which('mkfifo') !== null)('in the state folder', () => {
  test.each(Object.entries(odd))(
    '%s in the place of each file neither stops csp nor holds it up',
    async (_, plant) => {
      await using standIn = startSandbox()
      const home = mkdtempSync(join(tmpdir(), 'csp-odd-files-'))
      const stateDir = join(home, '.local/state/csp')
      for (const path of names().map((name) => join(stateDir, name))) {
        mkdirSync(dirname(path), { recursive: true })
        plant(path)
      }
      const csp = await startCsp({
        standInUrl: standIn.url,
        home,
        environment: { CSP_MEMORY: 'on', CSP_DAILY_SEARCHES: '9' },
      })
      const ask = (path: string, init: RequestInit = {}) =>
        fetch(csp.url + path, { ...init, signal: AbortSignal.timeout(20_000) })
      const found = await ask('/v1/search?q=harbour+seals')
      expect((await found.json()).results).not.toBeEmpty()
      const job = { model: 'sonar', input: 'harbour seals', background: true }
      const headers = { 'content-type': 'application/json' }
      const refused = await ask('/v1/responses', { method: 'POST', headers, body: JSON.stringify(job) })
      expect(await refused.text()).toContain(
        'The state folder of csp cannot be used: something else is where a file should be.',
      )
      const stop = Bun.spawn(['node', launcher, 'stop', '--all'], {
        env: { HOME: home, PATH: process.env['PATH'] },
        stdio: ['ignore', 'ignore', 'inherit'],
        timeout: 20_000,
      })
      expect(await stop.exited).toBe(0)
      await csp.stop()
      rmSync(home, { recursive: true, force: true })
    },
    60_000,
  )
})
