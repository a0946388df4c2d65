import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UsageError } from '../../../src/runtime/config/usage-error.ts'
import {
  addKey,
  changeKeyFile,
  readKeyFile,
  versionOfKeyFile,
  whileLocked,
} from '../../../src/runtime/server/key-file.ts'
import { createKeyRing } from '../../../src/runtime/server/key-ring.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'csp-key-file-'))
  path = join(folder, 'keys.json')
})
afterEach(() => rmSync(folder, { recursive: true }))

const lock = () => `${path}.lock`

/** Has a lock, or the folder of the one who removes it, be so many milliseconds old. */
function left(name: string, ms: number, now = Date.now()): void {
  if (name.endsWith('.leftover')) mkdirSync(name)
  else writeFileSync(name, '1 of another csp')
  const then = new Date(now - ms)
  utimesSync(name, then, then)
}

/** Runs work while its pauses take no time and `step` happens in each. */
async function stepping<Result>(work: () => Promise<Result>, step: (pauses: number) => void): Promise<Result> {
  let pauses = 0
  const pause = spyOn(Bun, 'sleep').mockImplementation(async () => step(++pauses))
  try {
    return await work()
  } finally {
    pause.mockRestore()
  }
}

describe('the keys in a file', () => {
  test('are none where nothing has its name, or a file stands in the place of its folder', async () => {
    writeFileSync(join(folder, 'file'), '')
    for (const missing of [path, join(folder, 'file/keys.json')]) expect(await readKeyFile(missing)).toEqual([])
    expect(await versionOfKeyFile(path)).toBe('none')
  })

  test.each([
    ['{"version":2,"keys":[]}', 'has format 2, which a newer csp wrote', 'Until then csp accepts none of its keys.'],
    ['{"version":1,"keys":{}}', 'is damaged, so csp accepts none of its keys.', 'create new keys with csp keys add.'],
  ])('that csp did not write so are not taken for none: %s', async (text, ...words) => {
    writeFileSync(path, text)
    for (const word of words) await expect(readKeyFile(path)).rejects.toThrow(word)
    await expect(changeKeyFile(path, () => [])).rejects.toThrow(UsageError)
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  test('that cannot be read are not taken for none', async () => {
    mkdirSync(path)
    const reason = 'cannot be read (something else is where a file should be).'
    await expect(readKeyFile(path)).rejects.toThrow(`The key file ${path} ${reason}`)
    // A ring that never had keys opens nothing either.
    await expect(createKeyRing({ path }).keys()).rejects.toThrow(reason)
  })

  test('stay as they are where a change fails, and the next one finds no lock', async () => {
    const { made } = await addKey(path, 'phone', { searchesPerDay: 3 })
    const before = readFileSync(path, 'utf8')
    await expect(addKey(path, 'phone')).rejects.toThrow('There is a key called "phone" already.')
    expect(readFileSync(path, 'utf8')).toBe(before)
    const { made: other } = await addKey(path, 'desk')
    expect(await readKeyFile(path)).toEqual([made, other].map((key) => expect.objectContaining(key)))
    expect(readdirSync(folder)).toEqual(['keys.json'])
  })
})

test('a ring of keys has the limits of each, once it has read them', async () => {
  const ring = createKeyRing({ path })
  await addKey(path, 'one', { searchesPerDay: 1 })
  await addKey(path, 'two', { searchesPerDay: 2 })
  expect(ring.limitsOf('two')).toBeUndefined()
  await ring.keys()
  const limits = ['one', 'two', 'three'].map((name) => ring.limitsOf(name)?.searchesPerDay)
  expect(limits).toEqual([1, 2, undefined])
})

test('a ring of keys looks at its file a second after it looked last, and at once where it is told to', async () => {
  let elapsed = 0
  const ring = createKeyRing({ path, elapsed: () => elapsed })
  const seen: (readonly [number, number])[] = []
  await addKey(path, 'first')
  for (const [index, at] of [0, 5000, 5999, 6000].entries()) {
    elapsed = at
    seen.push([at, (await ring.keys()).length])
    await addKey(path, `next-${index}`)
  }
  expect(seen).toEqual([
    [0, 1],
    [5000, 2],
    [5999, 2],
    [6000, 4],
  ])
  expect(await ring.keys(true)).toHaveLength(5)
})

describe('the lock of a file', () => {
  test('is held during the work, with a text that names its process, and makes its folder', async () => {
    path = join(folder, 'new', 'keys.json')
    const seen = await whileLocked(path, async () => readFileSync(lock(), 'utf8'))
    expect(seen).toMatch(new RegExp(`^${process.pid} [\\da-f-]{36}$`))
    expect(statSync(join(folder, 'new')).mode & 0o777).toBe(0o700)
    expect(readdirSync(join(folder, 'new'))).toEqual([])
  })

  test('of another csp, which took it when the work had taken too long, is left to it', async () => {
    await whileLocked(path, async () => writeFileSync(lock(), '1 of another csp'))
    expect(readFileSync(lock(), 'utf8')).toBe('1 of another csp')
    await whileLocked(join(folder, 'gone'), async () => rmSync(join(folder, 'gone.lock')))
    expect(readdirSync(folder)).toEqual(['keys.json.lock'])
  })

  test('is waited for 20 seconds, and no longer', async () => {
    left(lock(), 0)
    let elapsed = 0
    const clock = spyOn(performance, 'now').mockImplementation(() => elapsed)
    const tries: number[] = []
    try {
      const work = stepping(
        () => whileLocked(path, async () => 'worked'),
        () => {
          tries.push(elapsed)
          elapsed += elapsed < 20_000 ? 10_000 : 1
        },
      )
      expect(await work.catch(String)).toContain(`${lock()} is held by another csp. Remove it if no csp is running.`)
    } finally {
      clock.mockRestore()
    }
    expect(tries).toEqual([0, 10_000, 20_000])
    expect(readdirSync(folder)).toEqual(['keys.json.lock'])
  })

  test('was left by a process that died when it is more than ten seconds old', async () => {
    const now = Date.now()
    left(lock(), 10_000, now)
    const ages: number[] = []
    const clock = spyOn(Date, 'now').mockImplementation(() => now + ages.length)
    try {
      await stepping(
        () => whileLocked(path, async () => {}),
        () => ages.push(existsSync(lock()) ? 10_000 + ages.length : -1),
      )
    } finally {
      clock.mockRestore()
    }
    // It goes at the second look, and is taken at the third.
    expect(ages).toEqual([10_000, -1])
  })

  test('is removed by one process at a time, unless that one has died as well', async () => {
    left(lock(), 60_000)
    left(`${lock()}.leftover`, 0)
    const there: boolean[] = []
    await stepping(
      () => whileLocked(path, async () => {}),
      (pauses) => {
        there.push(existsSync(lock()))
        if (pauses === 2) {
          rmdirSync(`${lock()}.leftover`)
          left(`${lock()}.leftover`, 60_000)
        }
      },
    )
    // Another one is about to remove it; then that one is gone, too; then the way is free.
    expect(there).toEqual([true, true, true, false])
    expect(readdirSync(folder)).toEqual([])
  })

  test('is looked at once more before it is removed: another csp may hold it by then', async () => {
    const now = Date.now()
    left(lock(), 60_000, now)
    const times = [now, now - 60_000]
    const clock = spyOn(Date, 'now').mockImplementation(() => times.shift() ?? now)
    const there: boolean[] = []
    try {
      await stepping(
        () => whileLocked(path, async () => {}),
        () => there.push(existsSync(lock())),
      )
    } finally {
      clock.mockRestore()
    }
    expect(there).toEqual([true, false])
  })

  test('that cannot be made says why', async () => {
    writeFileSync(join(folder, 'file'), '')
    const work = whileLocked(join(folder, 'file/keys.json'), async () => {})
    await expect(work).rejects.toThrow(
      `Cannot create ${folder}/file/keys.json.lock (a file is where a folder should be).`,
    )
  })
})
