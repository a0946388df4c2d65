import { expect, setSystemTime, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { startClaude, strategies } from '../../../support/claude-executor.ts'
import { oddClaude } from '../../../support/odd-claude.ts'
import { scratchHome } from '../../../support/real-claude.ts'

/** The CLI under another version, which notes each of its processes that stays. */
function version(folder: string, number: string): string {
  const place = join(folder, number)
  mkdirSync(place)
  return oddClaude(
    place,
    `case "$*" in --version) echo '${number} (Claude Code)'; exit ;; *print*|*serve*) echo $$ >> '${place}/pids' ;; esac
exec "$claude" "$@"`,
  )
}

/** The processes of one version that run. */
function running(folder: string, number: string): readonly number[] {
  const pids = join(folder, number, 'pids')
  const all = existsSync(pids) ? readFileSync(pids, 'utf8').trim().split('\n').map(Number) : []
  return all.filter((pid) => existsSync(`/proc/${pid}`))
}

/** As installers do: the link leads to the new one from one moment to the next. */
function install(folder: string, binary: string): string {
  const link = join(folder, 'claude')
  symlinkSync(binary, `${link}.new`)
  renameSync(`${link}.new`, link)
  return link
}

test.skipIf(process.platform !== 'linux')(
  'an update of the CLI under load loses no search, and the new one serves soon',
  async () => {
    await using folder = await scratchHome()
    const [before, after] = ['9.1.1', '9.1.2'].map((number) => version(folder.path, number)) as [string, string]
    const link = install(folder.path, before)
    await using claude = await startClaude({ findBinary: () => link, lookMs: 50 })
    await claude.executor.warm()
    let isOver = false
    const load = (['results', 'standard', 'deep'] as const).map(async (strategy) => {
      let searches = 0
      for (; !isOver; searches++) await claude.search(`seals ${searches}`, strategies[strategy])
      return searches
    })
    const loaded = Promise.all(load) // rejects with the first search that is lost
    await claude.sandbox.until(({ calls }) => calls > 12)
    expect(running(folder.path, '9.1.1').length).toBeGreaterThanOrEqual(3)
    install(folder.path, after)
    await Promise.race([loaded, eventually(() => running(folder.path, '9.1.2').length >= 3)])
    await Promise.race([loaded, eventually(() => running(folder.path, '9.1.1').length === 0)])
    isOver = true
    for (const searches of await loaded) expect(searches).toBeGreaterThan(1)
    expect((await claude.executor.health()).backends[0]).toMatchObject({ ready: true, version: '9.1.2' })
  },
)

test('a file that does not run yet replaces nothing', async () => {
  await using folder = await scratchHome()
  const link = install(folder.path, version(folder.path, '9.1.1'))
  await using claude = await startClaude({ findBinary: () => link, lookMs: 0 })
  const list = (query: string) => claude.search(query, strategies.results)
  await list('seals')
  mkdirSync(join(folder.path, 'half'))
  install(folder.path, oddClaude(join(folder.path, 'half'), 'exit 1'))
  for (const query of ['herring', 'wombats', 'bees']) expect((await list(query)).searches).toHaveLength(1)
  expect((await claude.executor.health()).backends[0]).toMatchObject({ ready: true, version: '9.1.1' })
  expect((await claude.executor.health()).backends[0]?.engines?.['direct']).toBe('ready, 0 running, 4 served')
})

test('a launcher that leads to another version is noticed by the next probe', async () => {
  await using folder = await scratchHome()
  const [before, after] = ['9.1.1', '9.1.2'].map((number) => version(folder.path, number)) as [string, string]
  const target = join(folder.path, 'target')
  symlinkSync(before, target)
  mkdirSync(join(folder.path, 'shim'))
  const shim = oddClaude(join(folder.path, 'shim'), 'exec "$claude" "$@"', target)
  await using claude = await startClaude({ findBinary: () => shim })
  await claude.search('seals', strategies.results)
  symlinkSync(after, `${target}.new`)
  renameSync(`${target}.new`, target)
  try {
    setSystemTime(Date.now() + 61_000)
    const [health] = (await claude.executor.health()).backends
    expect(health).toMatchObject({ version: '9.1.2', engines: { direct: 'ready, 0 running, 0 served' } })
  } finally {
    setSystemTime()
  }
})
