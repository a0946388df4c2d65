import { afterEach, beforeEach, describe, expect, setSystemTime, test } from 'bun:test'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { identityOf } from '../../../src/runtime/background/process-identity.ts'
import {
  announceServer,
  createLocalToken,
  isAlive,
  isOfService,
  type RunningServerRecord,
  runningServers,
  tokenAt,
} from '../../../src/runtime/background/running-servers.ts'
import { testNeeding } from '../../support/needs.ts'

let stateDir: string
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'csp-running-'))
})
afterEach(() => rmSync(stateDir, { recursive: true, force: true }))

/** The file of the only record that is there. */
function onlyRecord(): string {
  const [name = '', ...others] = readdirSync(join(stateDir, 'run'))
  expect(others).toEqual([])
  return join(stateDir, 'run', name)
}

const server = (port: number): Omit<RunningServerRecord, 'pid' | 'identity' | 'startedAt'> => ({
  url: `http://127.0.0.1:${port}`,
  port,
  version: '1.2.3',
  token: createLocalToken(),
  settings: 'digest',
  flags: ['--port=1'],
  manager: 'terminal',
})

test('a service is what a manager of the system starts, and no other csp is', () => {
  const managers = ['terminal', 'background', 'programs', 'systemd', 'launchd'] as const
  expect(managers.filter((manager) => isOfService({ manager }))).toEqual(['systemd', 'launchd'])
})

test('a token opens the csp at its own address or at any that it listens on, and no other', () => {
  const record = (port: number): RunningServerRecord => ({ ...server(port), pid: 1, startedAt: '' })
  const [first, second] = [record(4711), { ...record(4712), urls: ['http://[::1]:4712', 'http://10.0.0.2:4712'] }]
  const tokenOf = (url: string) => tokenAt(url, [first, second])
  expect(tokenOf('http://127.0.0.1:4711')).toBe(first.token)
  expect(tokenOf('http://127.0.0.1:4712')).toBe(second.token)
  expect(tokenOf('http://10.0.0.2:4712')).toBe(second.token)
  expect(tokenOf('http://10.0.0.2:4711')).toBeUndefined()
})

describe('the record of a running server', () => {
  test('is found by the other commands until the server ends', async () => {
    const announced = server(4711)
    const announcement = await announceServer(stateDir, announced)
    expect(await runningServers(stateDir)).toMatchObject([{ ...announced, pid: process.pid }])
    await announcement.end()
    expect(await runningServers(stateDir)).toEqual([])
  })

  testNeeding('root', process.getuid?.() === 0)('counts for nothing where another user has put it there', async () => {
    await announceServer(stateDir, server(4711))
    chownSync(onlyRecord(), 65_534, 65_534)
    expect(await runningServers(stateDir)).toEqual([])
    expect(existsSync(onlyRecord())).toBeTrue()
  })

  test('of a newer csp may name a manager that this one does not know', async () => {
    await announceServer(stateDir, server(4711))
    const file = onlyRecord()
    writeFileSync(file, readFileSync(file, 'utf8').replace('"terminal"', '"a-newer-one"'))
    expect(await runningServers(stateDir)).toMatchObject([{ port: 4711, manager: 'terminal' }])
  })

  test('has all that is known of it, and a token that cannot be guessed', async () => {
    const announced = {
      ...server(4711),
      urls: ['http://10.0.0.2:4711'],
      sandbox: true as const,
      manager: 'systemd' as const,
    }
    await announceServer(stateDir, announced)
    const [record] = await runningServers(stateDir)
    const identity = identityOf(process.pid)
    const own = {
      pid: process.pid,
      startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      ...(identity && { identity }),
    }
    expect(record).toEqual({ ...announced, ...own })
    expect(announced.token).toMatch(/^csp-local-[\w-]{43}$/)
  })

  test('goes when another server takes its port, even at the same moment, and none of another port does', async () => {
    setSystemTime(new Date('2026-11-20T10:00:00Z'))
    try {
      await announceServer(stateDir, server(4711))
      const other = server(4712)
      await announceServer(stateDir, other)
      const taker = server(4711)
      await announceServer(stateDir, taker)
      expect(readdirSync(join(stateDir, 'run'))).toHaveLength(2)
      const [last, first] = [server(9000), server(80)]
      for (const each of [last, first]) await announceServer(stateDir, each)
      const found = await runningServers(stateDir)
      // By port.
      expect(found.map(({ token }) => token)).toEqual([first, taker, other, last].map(({ token }) => token))
    } finally {
      setSystemTime()
    }
  })

  test('of a csp that writes it otherwise stays as long as its process runs', async () => {
    await announceServer(stateDir, server(4711))
    const path = onlyRecord()
    expect(path).toMatch(/\/4711-[\da-f]{8}\.json$/)
    const { pid, identity } = JSON.parse(readFileSync(path, 'utf8'))
    for (const [text, isThere] of [
      [{ pid, identity }, true],
      [{ pid, identity: 'another boot' }, false],
    ] as const) {
      writeFileSync(path, JSON.stringify(text))
      expect(await runningServers(stateDir)).toEqual([])
      expect(existsSync(path)).toBe(isThere)
    }
  })

  test('is a file with such a name, and nothing else of the folder', async () => {
    await announceServer(stateDir, server(4711))
    for (const name of ['4711-0a1b2c3d.json', '4711.holders']) mkdirSync(join(stateDir, 'run', name))
    writeFileSync(join(stateDir, 'run/note-0a1b2c3d.json'), 'mine')
    expect(await runningServers(stateDir)).toHaveLength(1)
    expect(readdirSync(join(stateDir, 'run'))).toHaveLength(4)
  })

  test('can be read by its user alone', async () => {
    await announceServer(stateDir, server(4711))
    expect(statSync(onlyRecord()).mode & 0o777).toBe(0o600)
    expect(statSync(join(stateDir, 'run')).mode & 0o777).toBe(0o700)
  })

  test('stays when another server has taken the port over', async () => {
    const old = await announceServer(stateDir, server(4711))
    const taker = server(4711)
    await announceServer(stateDir, taker)
    await old.end()
    expect(await runningServers(stateDir)).toMatchObject([{ token: taker.token }])
    expect(onlyRecord()).toBeString()
  })

  test('stays when its csp takes over while another command reads the record of one that is dead', async () => {
    mkdirSync(join(stateDir, 'run'))
    const dead = JSON.stringify({ ...server(4711), pid: 999_999_999, startedAt: new Date(0).toISOString() })
    for (let round = 0; round < 20; round++) {
      writeFileSync(join(stateDir, 'run/4711.json'), dead)
      const taker = server(4711)
      const command = runningServers(stateDir)
      await Promise.all([announceServer(stateDir, taker), command])
      expect(await runningServers(stateDir)).toMatchObject([{ token: taker.token }])
    }
  })

  test('of a csp that does not listen any more is not shown beside that of its successor', async () => {
    const old = server(4711)
    await announceServer(stateDir, old)
    const text = await Bun.file(onlyRecord()).text()
    const taker = server(4711)
    await Bun.sleep(2)
    await announceServer(stateDir, taker)
    writeFileSync(join(stateDir, 'run/4711.json'), text)
    expect(await runningServers(stateDir)).toMatchObject([{ token: taker.token }])
  })

  test('is removed when its process has ended without a word', async () => {
    await announceServer(stateDir, server(4711))
    const path = onlyRecord()
    const gone = Bun.spawn(['true'])
    await gone.exited
    const record = await Bun.file(path).json()
    writeFileSync(path, JSON.stringify({ ...record, pid: gone.pid }))
    expect(await runningServers(stateDir)).toEqual([])
    expect(existsSync(path)).toBe(false)
  })

  test('does not stand for a stranger that got the same process id', async () => {
    await announceServer(stateDir, server(4711))
    const path = onlyRecord()
    const stranger = Bun.spawn(['sleep', '60'])
    try {
      const record = await Bun.file(path).json()
      writeFileSync(path, JSON.stringify({ ...record, pid: stranger.pid }))
      expect(await runningServers(stateDir)).toEqual([])
      expect(isAlive({ ...record, pid: stranger.pid })).toBe(false)
      expect(stranger.killed).toBe(false)
    } finally {
      stranger.kill()
    }
  })

  test.each(['', '{', '[]', '{"pid":1}', JSON.stringify({ pid: -1, url: 'x' })])(
    'that is damaged counts as none: %j',
    async (text) => {
      await (await announceServer(stateDir, server(1))).end()
      for (const name of ['4711-0a1b2c3d.json', '4711.json']) writeFileSync(join(stateDir, 'run', name), text)
      expect(await runningServers(stateDir)).toEqual([])
      // The other one may be a file of the user's.
      expect(readdirSync(join(stateDir, 'run'))).toEqual(['4711.json'])
      rmSync(join(stateDir, 'run/4711.json'))
    },
  )
})
