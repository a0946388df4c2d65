import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { chmod, mkdir, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { digestOf, keyCheck } from '../../../src/api/http/auth.ts'
import { main } from '../../../src/runtime/cli/main.ts'
import { whileLocked } from '../../../src/runtime/server/key-file.ts'
import { createKeyRing } from '../../../src/runtime/server/key-ring.ts'
import { refuseOpenAddress } from '../../../src/runtime/server/server.ts'
import { testNeeding } from '../../support/needs.ts'
import { type ScratchHome, scratchHome } from '../../support/real-claude.ts'
import { mayMount, mount } from '../../support/small-disk.ts'
import { entry as testedEntry } from '../../support/tested-program.ts'
import { testShell } from '../test-shell.ts'

let home: ScratchHome
let folder: string
let file: string
beforeEach(async () => {
  home = await scratchHome()
  folder = join(home.path, '.config', 'csp')
  file = join(folder, 'keys.json')
})
afterEach(async () => {
  await chmod(folder, 0o700).catch(() => {})
  await home[Symbol.asyncDispose]()
})

async function csp(...args: string[]) {
  const shell = testShell({ environment: { HOME: home.path }, directory: home.path })
  const code = await main(args, shell)
  return { code, printed: shell.printed(), complaints: shell.complaints() }
}

const written = () => readFile(file, 'utf8')
async function damage(text: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(file, text)
}

testNeeding('the right to mount', mayMount)(
  'a full disk tears neither keys nor configuration, and says which file it keeps from',
  async () => {
    using _disk = mount(folder, 'size=80k')
    const rest = join(folder, 'rest')
    await csp('keys', 'add', 'phone')
    await csp('config', 'set', 'port', '5555')
    const config = join(folder, 'config.json')
    const before = [await written(), await readFile(config, 'utf8')]
    // Of the disk nothing, and then one page is left: the lock has room, and the file has none.
    for (const free of [0, 4096]) {
      await rm(rest, { force: true })
      await writeFile(rest, Buffer.alloc(128 * 1024)).catch(() => {})
      await truncate(rest, Math.max(0, (await stat(rest)).size - free))
      for (const [words, at] of [
        [['keys', 'add', 'desk'], file],
        [['keys', 'revoke', 'phone'], file],
        [['config', 'set', 'port', '6666'], config],
      ] as const) {
        const { code, complaints } = await csp(...words)
        expect([code, words, complaints]).toEqual([code > 0 ? code : 1, words, expect.stringContaining(dirname(at))])
        expect(complaints).toMatch(/the disk is full|no space left/)
      }
      expect([await written(), await readFile(config, 'utf8')]).toEqual(before)
      expect((await readdir(folder)).toSorted()).toEqual(['config.json', 'config.schema.json', 'keys.json', 'rest'])
    }
    await rm(rest)
    expect(await csp('keys', 'add', 'desk')).toMatchObject({ code: 0 })
    expect(await csp('config', 'set', 'port', '6666')).toMatchObject({ code: 0 })
    expect((await csp('keys', 'list')).printed).toMatch(/^phone .*\ndesk /)
  },
)

describe('csp keys', () => {
  test('add shows the key once and stores its hash in a file of the owner alone', async () => {
    const { code, printed, complaints } = await csp('keys', 'add', 'phone')
    expect(code).toBe(0)
    expect(printed).toMatch(/^csp_[\w-]{43}\n$/)
    expect(complaints).toContain('"phone"')
    const key = printed.trim()
    expect(complaints).not.toContain(key)
    expect(await written()).toContain(await digestOf(key))
    expect(await written()).not.toContain(key.slice(4))
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
    expect(await readdir(folder)).toEqual(['keys.json'])
    expect((await csp('keys', 'list')).printed).not.toContain(key.slice(4))
  })

  test('list shows names and limits', async () => {
    expect((await csp('keys', 'list')).printed).toStartWith(`No keys in ${file}`)
    await csp('keys', 'add', 'phone')
    await csp('keys', 'add', 'my.desk', '--per-minute', '2', '--per-day=30', '--tokens-per-day', '1000')
    const { code, printed } = await csp('keys', 'list')
    expect(code).toBe(0)
    expect(printed).toMatch(/^phone {4}\d{4}-\d\d-\d\d {2}no limit$/m)
    expect(printed).toMatch(
      /^my\.desk {2}\d{4}-\d\d-\d\d {2}2 searches a minute, 30 searches a day, 1000 tokens a day$/m,
    )
  })

  test('--json shows the same as JSON', async () => {
    const made = JSON.parse((await csp('keys', 'add', 'phone', '--per-day', '5', '--json')).printed)
    expect(made).toMatchObject({ name: 'phone', per_minute: null, per_day: 5, tokens_per_day: null, file })
    expect(made.key).toMatch(/^csp_/)
    const { key: _, file: __, ...entry } = made
    expect(JSON.parse((await csp('keys', 'list', '--json')).printed)).toEqual({ file, keys: [entry] })
    expect(JSON.parse((await csp('keys', 'revoke', 'phone', '--json')).printed)).toEqual({ revoked: 'phone', left: 0 })
  })

  test('revoke removes one key and leaves the others', async () => {
    await csp('keys', 'add', 'phone')
    await csp('keys', 'add', 'desk')
    expect(await csp('keys', 'revoke', 'phone')).toEqual({ code: 0, printed: 'Revoked "phone".\n', complaints: '' })
    expect((await csp('keys', 'list')).printed).toMatch(/^desk .*\n$/)
    expect((await csp('keys', 'revoke', 'desk')).complaints).toContain('the last key')
  })

  test('revoke says that an edge of this machine keeps the key until it is set up again', async () => {
    await csp('keys', 'add', 'phone')
    await mkdir(join(folder, 'edge'), { recursive: true })
    await writeFile(join(folder, 'edge', 'wrangler.toml'), '')
    expect((await csp('keys', 'revoke', 'phone')).complaints).toContain('until csp setup edge is run again')
  })

  test('never creates the same key twice', async () => {
    const keys = await Promise.all(['a', 'b', 'c'].map(async (name) => (await csp('keys', 'add', name)).printed))
    expect(new Set(keys).size).toBe(3)
  })

  test.each([
    [['keys', 'burn'], 'Usage: csp keys add NAME'],
    [['keys', 'add'], 'Usage: csp keys add NAME'],
    [['keys', 'list', 'phone'], 'Usage: csp keys add NAME'],
    [['keys', 'revoke'], 'Usage: csp keys add NAME'],
    [['keys', 'add', 'a', 'b'], 'takes no argument "b"'],
    [['keys', 'add', 'Phone'], 'A key cannot be called "Phone"'],
    [['keys', 'add', ''], 'A key cannot be called ""'],
    [['keys', 'add', 'a b'], 'A key cannot be called "a b"'],
    [['keys', 'add', 'anonymous:1'], 'A key cannot be called'],
    [['keys', 'add', 'key-3'], 'are those of --api-keys'],
    [['keys', 'add', 'a'.repeat(65)], 'Names have 1 to 64'],
    [['keys', 'add', 'known'], 'There is a key called "known" already.'],
    [['keys', 'add', 'b', '--per-day', '0'], '--per-day must be a whole number of 1 or more, not "0"'],
    [['keys', 'add', 'b', '--per-minute', '1.5'], '--per-minute must be'],
    [['keys', 'add', 'b', '--per-minute'], '--per-minute needs a value'],
    [['keys', 'add', 'b', '--tokens-per-day', 'many'], '--tokens-per-day must be'],
    [['keys', 'add', 'b', '--per-hour', '3'], 'csp keys has no flag --per-hour'],
    [['keys', 'list', '--per-day', '3'], '--per-day goes with csp keys add only.'],
    [['keys', 'revoke', 'knwon'], 'There is no key "knwon". Did you mean known?'],
    [['keys', 'revoke', 'xyzzy'], 'The keys are: known.'],
    [['status', '--days', '0'], '--days must be a whole number from 1 to 31'],
    [['status', '--days', '32'], '--days must be'],
    [['status', '--days', '7', 'phone'], 'Usage: csp status'],
  ])('refuses %j and changes nothing', async (args, message) => {
    await csp('keys', 'add', 'known')
    const before = await written()
    const { code, printed, complaints } = await csp(...args)
    expect(complaints).toContain(message)
    expect(code).toBe(2)
    expect(printed).toBe('')
    expect(await written()).toBe(before)
  })

  const entry = { name: 'a', sha256: 'a'.repeat(64), created: '2026-11-20T10:00:00.000Z' }
  test.each([
    ['torn', '{"version": 1, "keys": [{"na'],
    ['empty', ''],
    ['of another version', JSON.stringify({ version: 2, keys: [] })],
    ['of another shape', JSON.stringify([entry])],
    ['with a name that cannot be', JSON.stringify({ version: 1, keys: [{ ...entry, name: 'A' }] })],
    ['with a name twice', JSON.stringify({ version: 1, keys: [entry, entry] })],
    ['with a hash that is none', JSON.stringify({ version: 1, keys: [{ ...entry, sha256: 'secret' }] })],
    ['with a field that nobody knows', JSON.stringify({ version: 1, keys: [{ ...entry, 'per-hour': 1 }] })],
    ['with a limit of nothing', JSON.stringify({ version: 1, keys: [{ ...entry, 'per-day': 0 }] })],
  ])('never overwrites a file that is %s, and no server starts with it', async (_name, text) => {
    await damage(text)
    for (const args of [
      ['keys', 'list'],
      ['keys', 'add', 'phone'],
      ['keys', 'revoke', 'a'],
      ['serve', '--port', '0'],
    ]) {
      const { code, complaints, printed } = await csp(...args)
      expect(complaints).toMatch(
        new RegExp(`^The key file ${file} (?:is damaged|has format 2, which a newer csp wrote)`),
      )
      expect(code).toBe(2)
      expect(printed).toBe('')
    }
    expect(await written()).toBe(text)
    expect(await readdir(folder)).toEqual(['keys.json'])
  })

  test('reports a folder that is not writable', async () => {
    await writeFile(join(home.path, '.config'), '')
    const { code, complaints } = await csp('keys', 'add', 'phone')
    expect(code).toBe(2)
    expect(complaints).toContain('Cannot create ')
  })

  test('loses no key when many processes add keys at once', async () => {
    const names = Array.from({ length: 6 }, (_, index) => `key.${index}`)
    const adds = names.map((name) =>
      Bun.spawn([process.execPath, testedEntry, 'keys', 'add', name], {
        env: { HOME: home.path, PATH: process.env['PATH'] ?? '' },
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    )
    expect(await Promise.all(adds.map(({ exited }) => exited))).toEqual(names.map(() => 0))
    const known: { name: string }[] = JSON.parse((await csp('keys', 'list', '--json')).printed).keys
    expect(known.map(({ name }) => name).toSorted()).toEqual(names)
    expect(await readdir(folder)).toEqual(['keys.json'])
  })

  test('waits for a lock that is some seconds old, which a running csp holds', async () => {
    await mkdir(folder, { recursive: true })
    const lock = `${file}.lock`
    await writeFile(lock, '1 at work')
    const before = new Date(Date.now() - 5000)
    await utimes(lock, before, before)
    let tries = 0
    const pause = spyOn(Bun, 'sleep').mockImplementation(async () => {
      if (++tries === 3) await rm(lock)
    })
    try {
      expect((await csp('keys', 'add', 'phone')).code).toBe(0)
      expect(tries).toBe(3)
    } finally {
      pause.mockRestore()
    }
  })

  test('removes a lock that a dead process left', async () => {
    await mkdir(folder, { recursive: true })
    await writeFile(`${file}.lock`, '1 gone')
    const longAgo = new Date(Date.now() - 60_000)
    await utimes(`${file}.lock`, longAgo, longAgo)
    expect((await csp('keys', 'add', 'phone')).code).toBe(0)
    expect(await readdir(folder)).toEqual(['keys.json'])
  })

  test('adds no key in place of another where many find the lock of a dead process', async () => {
    await mkdir(folder, { recursive: true })
    await writeFile(`${file}.lock`, '1 gone')
    const longAgo = new Date(Date.now() - 60_000)
    await utimes(`${file}.lock`, longAgo, longAgo)
    let active = 0
    let most = 0
    const all = Array.from({ length: 60 }, () =>
      whileLocked(file, async () => {
        most = Math.max(most, ++active)
        await Bun.sleep(1)
        active--
      }),
    )
    await Promise.all(all)
    expect(most).toBe(1)
  })

  test('keeps the keys of another configuration file beside that file', async () => {
    const other = join(home.path, 'other.json')
    await writeFile(other, '{}')
    await csp('keys', 'add', 'phone', '--config', other)
    expect(await readFile(join(home.path, 'keys.json'), 'utf8')).toContain('phone')
  })
})

describe('a ring of keys from the file', () => {
  function ring() {
    const clock = { elapsed: 0 }
    const problems: string[] = []
    const opened = createKeyRing({ path: file, elapsed: () => clock.elapsed, onProblem: (text) => problems.push(text) })
    return { clock, problems, ring: opened, names: async () => (await opened.keys()).map(({ name }) => name) }
  }

  test('notices keys that are added and revoked, and reads the file once a second at most', async () => {
    const { clock, names } = ring()
    expect(await names()).toEqual([])
    await csp('keys', 'add', 'phone')
    clock.elapsed = 999
    expect(await names()).toEqual([])
    clock.elapsed = 1000
    expect(await names()).toEqual(['phone'])
    await csp('keys', 'add', 'desk')
    await csp('keys', 'revoke', 'phone')
    clock.elapsed = 2000
    expect(await names()).toEqual(['desk'])
  })

  test('is read at once for a key that is not in it, which may be new', async () => {
    await csp('keys', 'add', 'desk')
    const { ring: opened } = ring()
    const check = keyCheck([], opened)
    const verdictOf = async (key: string) => (await check(new Headers({ 'x-api-key': key }))).verdict
    expect(await verdictOf('csp_wrong')).toBe('wrong')
    expect(await verdictOf((await csp('keys', 'add', 'phone')).printed.trim())).toBe('accepted')
  })

  test('has the limits of each key', async () => {
    await csp('keys', 'add', 'phone', '--per-day', '3')
    const { ring: opened, names } = ring()
    expect(opened.limitsOf('phone')).toBeUndefined()
    await names()
    expect(opened.limitsOf('phone')).toMatchObject({ searchesPerDay: 3 })
    expect(opened.limitsOf('desk')).toBeUndefined()
  })

  test('keeps its keys when the file is damaged, warns once, and recovers when the file is repaired', async () => {
    await csp('keys', 'add', 'phone')
    const { clock, names, problems } = ring()
    await names()
    const good = await written()
    await damage('{')
    for (const elapsed of [1000, 2000]) {
      clock.elapsed = elapsed
      expect(await names()).toEqual(['phone'])
    }
    expect(problems).toEqual([expect.stringContaining('is damaged')])
    await damage(good.replace('phone', 'tablet'))
    clock.elapsed = 3000
    expect(await names()).toEqual(['tablet'])
  })

  test('has no keys when the file is gone', async () => {
    await csp('keys', 'add', 'phone')
    const { clock, names } = ring()
    await names()
    await Bun.file(file).delete()
    clock.elapsed = 1000
    expect(await names()).toEqual([])
  })
})

describe('off loopback', () => {
  test('a named key is sufficient, as is one of --api-keys', () => {
    const host = ['127.0.0.1', '192.0.2.1']
    expect(() => refuseOpenAddress({ host, apiKeys: [], allowedHosts: [] }, [])).toThrow('csp keys add NAME')
    refuseOpenAddress({ host, apiKeys: [], allowedHosts: [] }, [{}])
    refuseOpenAddress({ host, apiKeys: ['a-long-enough-secret'], allowedHosts: [] }, [])
    for (const apiKeys of [['x'], ['a-long-enough-secret', 'short']]) {
      expect(() => refuseOpenAddress({ host, apiKeys, allowedHosts: [] }, [{}])).toThrow('can be guessed')
      refuseOpenAddress({ host: ['127.0.0.1'], apiKeys, allowedHosts: [] }, [])
    }
  })

  test.each(['search.example', '*', '192.0.2.1:8080', '[2001:db8::1]:443'])(
    'csp does not start with --allowed-hosts %s on loopback without a key',
    (name) => {
      const open = { host: ['127.0.0.1'], apiKeys: [], allowedHosts: ['localhost', name] }
      expect(() => refuseOpenAddress(open, [])).toThrow(/--allowed-hosts[\s\S]*csp keys add NAME/)
      refuseOpenAddress(open, [{}])
      refuseOpenAddress({ ...open, apiKeys: ['a-long-enough-secret'] }, [])
    },
  )

  test('csp starts without a key where --allowed-hosts names loopback alone', () => {
    const allowedHosts = ['localhost', 'localhost:8080', '127.0.0.2', '[::1]', '[::1]:80']
    refuseOpenAddress({ host: ['127.0.0.1'], apiKeys: [], allowedHosts }, [])
  })
})
