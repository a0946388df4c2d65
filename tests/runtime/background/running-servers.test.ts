import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  announceServer,
  createLocalToken,
  isAlive,
  type RunningServerRecord,
  runningServers,
} from '../../../src/runtime/background/running-servers.ts'

let stateDir: string
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'csp-running-'))
})
afterEach(() => rmSync(stateDir, { recursive: true, force: true }))

const server = (port: number): Omit<RunningServerRecord, 'pid' | 'identity' | 'startedAt'> => ({
  url: `http://127.0.0.1:${port}`,
  port,
  version: '1.2.3',
  token: createLocalToken(),
  settings: 'digest',
  flags: ['--port=1'],
  manager: 'terminal',
})

describe('the record of a running server', () => {
  test('is found by the other commands until the server ends', async () => {
    const announced = server(4711)
    const announcement = await announceServer(stateDir, announced)
    expect(await runningServers(stateDir)).toMatchObject([{ ...announced, pid: process.pid }])
    await announcement.end()
    expect(await runningServers(stateDir)).toEqual([])
  })

  test('can be read by its user alone', async () => {
    await announceServer(stateDir, server(4711))
    expect(statSync(join(stateDir, 'run/4711.json')).mode & 0o777).toBe(0o600)
    expect(statSync(join(stateDir, 'run')).mode & 0o777).toBe(0o700)
  })

  test('stays when another server has taken the port over', async () => {
    const old = await announceServer(stateDir, server(4711))
    const taker = server(4711)
    await announceServer(stateDir, taker)
    await old.end()
    expect(await runningServers(stateDir)).toMatchObject([{ token: taker.token }])
  })

  test('is removed when its process has ended without a word', async () => {
    await announceServer(stateDir, server(4711))
    const path = join(stateDir, 'run/4711.json')
    const gone = Bun.spawn(['true'])
    await gone.exited
    const record = await Bun.file(path).json()
    writeFileSync(path, JSON.stringify({ ...record, pid: gone.pid }))
    expect(await runningServers(stateDir)).toEqual([])
    expect(existsSync(path)).toBe(false)
  })

  test('does not stand for a stranger that got the same process id', async () => {
    await announceServer(stateDir, server(4711))
    const path = join(stateDir, 'run/4711.json')
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
      writeFileSync(join(stateDir, 'run/4711.json'), text)
      expect(await runningServers(stateDir)).toEqual([])
      expect(readdirSync(join(stateDir, 'run'))).toEqual([])
    },
  )
})
