import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { takeOver } from '../../../src/runtime/background/take-over.ts'
import { ListenError } from '../../../src/runtime/server/server.ts'
import { handoverSignal } from '../../../src/runtime/shell/shell.ts'

/** The csp whose port is taken: it ends by the signal. */
let old: Bun.Subprocess
beforeEach(() => {
  old = Bun.spawn(['sleep', '60'])
})
afterEach(async () => {
  old.kill('SIGKILL')
  await old.exited
})

const isTold = async () => {
  await old.exited
  return old.signalCode === handoverSignal
}

describe('a csp that takes the port of another one', () => {
  test('tells it once it listens itself, and everything is loaded', async () => {
    const steps: string[] = []
    const server = await takeOver(
      old.pid,
      async () => {
        await Bun.sleep(10)
        steps.push('prepared')
      },
      async () => {
        steps.push(old.killed || old.exitCode !== null ? 'started late' : 'started')
        return 'server'
      },
    )
    expect([server, ...steps]).toEqual(['server', 'prepared', 'started'])
    expect(await isTold()).toBeTrue()
  })

  test('listens when the port is free, where two cannot listen on it', async () => {
    let starts = 0
    const start = async () => {
      if (++starts === 1) throw new ListenError('taken')
      if (old.signalCode === null && old.exitCode === null) throw new ListenError('taken still')
      return starts
    }
    expect(await takeOver(old.pid, async () => {}, start)).toBeGreaterThan(1)
    expect(await isTold()).toBeTrue()
  })

  test('gives up with the error of a port that does not become free', async () => {
    let now = 0
    const clock = spyOn(performance, 'now').mockImplementation(() => {
      now += 1000
      return now
    })
    try {
      let starts = 0
      const start = async () => {
        throw new ListenError(`taken ${++starts}`)
      }
      await expect(takeOver(old.pid, async () => {}, start)).rejects.toThrow('taken 7')
    } finally {
      clock.mockRestore()
    }
  })

  test('tells nobody if it fails by itself', async () => {
    const fault = async () => {
      throw new Error('broken')
    }
    await expect(takeOver(old.pid, fault, async () => 1)).rejects.toThrow('broken')
    await expect(takeOver(old.pid, async () => {}, fault)).rejects.toThrow('broken')
    expect(old.exitCode ?? old.signalCode).toBeNull()
  })
})
