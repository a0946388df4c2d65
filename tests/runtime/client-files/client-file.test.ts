import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Setting } from '../../../src/clients/client.ts'
import {
  backupOf,
  type ClientFile,
  changeOf,
  isNamedAfterUs,
  keepFormer,
  removalOf,
  valueAt,
} from '../../../src/runtime/client-files/client-file.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-client-file-'))
afterAll(() => rmSync(scratch, { recursive: true }))

let file: string
beforeEach(() => {
  file = join(mkdtempSync(join(scratch, 'home-')), 'settings.json')
})

const entry: Setting = { place: ['servers', 'csp'], value: { url: 'u' } }
const client = (settings: readonly Setting[] = [entry], more: Partial<ClientFile> = {}): ClientFile => ({
  ...{ title: 'Zed', format: 'json', file, settings },
  ...more,
})
const text = () => readFileSync(file, 'utf8')
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

describe('a change of a file', () => {
  test('that is not there makes it for its user alone, and leaves no copy', async () => {
    const change = changeOf(client())
    expect(change).toMatchObject({ file, diff: '+ servers.csp.url: "u"\n' })
    expect(existsSync(file)).toBe(false)
    expect(await change.write()).toBeUndefined()
    expect(text()).toBe('{\n  "servers": {\n    "csp": {\n      "url": "u"\n    }\n  }\n}\n')
    expect([modeOf(file), existsSync(backupOf(file))]).toEqual(['600', false])
  })

  test('keeps who may read it, also of its copy, and the first copy for good', async () => {
    writeFileSync(file, '{"a": 1}')
    chmodSync(file, 0o644)
    expect(await changeOf(client()).write()).toBe(`${file}.before-csp`)
    expect([modeOf(file), modeOf(backupOf(file))]).toEqual(['644', '644'])
    expect(JSON.parse(text())).toEqual({ a: 1, servers: { csp: { url: 'u' } } })
    expect(await changeOf(client([{ ...entry, value: 2 }])).write()).toBe(backupOf(file))
    expect(readFileSync(backupOf(file), 'utf8')).toBe('{"a": 1}')
    expect(JSON.parse(text()).servers).toEqual({ csp: 2 })
  })

  test('keeps a copy also where nothing changes, and writes no other text then', async () => {
    const equal = '{"servers":   {"csp": {"url": "u"}}}'
    writeFileSync(file, equal)
    const change = changeOf(client())
    expect([change.diff, await change.write(), text()]).toEqual(['', backupOf(file), equal])
    expect(readFileSync(backupOf(file), 'utf8')).toBe(equal)
  })

  test('of a client that is known by its copy keeps an empty one where no file was', async () => {
    const known = client([entry], { isKnownByCopy: true })
    expect(await changeOf(known).write()).toBeUndefined()
    expect([readFileSync(backupOf(file), 'utf8'), modeOf(backupOf(file))]).toEqual(['{}\n', '600'])
    await removalOf(known).write()
    expect([text(), existsSync(backupOf(file))]).toEqual(['{}\n', false])
  })

  test('begins at the empty configuration where the file has only spaces', async () => {
    writeFileSync(file, ' \n ')
    await changeOf(client()).write()
    expect(text()).toStartWith('{\n  "servers"')
    expect(readFileSync(backupOf(file), 'utf8')).toBe(' \n ')
  })

  test('writes what its setting wants, by the present value and what is around it', () => {
    writeFileSync(file, '{"web": {"limit": 30}, "list": ["a"]}')
    const seen: unknown[] = []
    const when = (answer: boolean) => (present: unknown, around: unknown) => {
      seen.push([present, around])
      return answer
    }
    const { diff } = changeOf(
      client([
        { place: ['web', 'limit'], value: 120, when: when(true) },
        { place: ['web', 'other'], value: 1, when: when(false) },
        { place: ['list', { value: 'b' }], value: 'b', when: when(true) },
        { place: ['web', 'none'], value: undefined, when: when(true) },
        { place: ['web', 'nothing'], value: undefined },
      ]),
    )
    expect(diff).toBe('- web.limit: 30\n+ web.limit: 120\n- list: ["a"]\n+ list: ["a","b"]\n')
    expect(seen).toEqual([
      [30, { limit: 30 }],
      [undefined, { limit: 30 }],
      [undefined, ['a']],
    ])
  })

  test('puts an item of a list in the place of the one by its name, or behind the last', () => {
    writeFileSync(file, '{"tools": [7, {"name": "a"}, {"name": "csp", "v": 1}]}')
    const item = (name: string, value: unknown) => ({ place: ['tools', { member: 'name', value: name }], value })
    expect(changeOf(client([item('csp', { name: 'csp', v: 2 })])).diff).toBe('- tools[2].v: 1\n+ tools[2].v: 2\n')
    expect(changeOf(client([item('b', { name: 'b' })])).diff).toBe('+ tools[3].name: "b"\n')
    writeFileSync(file, '{"tools": [null, "csp"]}')
    expect(changeOf(client([item('csp', 'new')])).diff).toBe('- tools[1]: "csp"\n+ tools[1]: "new"\n')
  })

  test.each(['[]', '"a"', '{', 'null'])('refuses %s, which is no configuration', (wrong) => {
    writeFileSync(file, wrong)
    expect(() => changeOf(client())).toThrow(
      `The configuration of Zed, ${file}, is not a JSON object, so csp leaves it alone.`,
    )
  })

  test('refuses a file with something else in the way, and names the place', () => {
    writeFileSync(file, 'tools: none\n')
    const place = ['tools', { member: 'name', value: 'csp' }, 'url']
    expect(() => changeOf(client([{ place, value: 'u' }], { format: 'yaml' }))).toThrow(
      `The configuration of Zed, ${file}, has something else at tools.csp.url: csp leaves it alone.`,
    )
  })

  test('says why a file cannot be written', async () => {
    const below = join(file, 'settings.json')
    writeFileSync(file, '')
    symlinkSync(below, `${file}.link`)
    const change = changeOf(client([entry], { file: `${file}.link` }))
    await expect(change.write()).rejects.toThrow(
      /^The configuration of Zed, .*\.link, cannot be written \(E[A-Z]+\)\.$/,
    )
    await expect(changeOf(client([entry], { file: below })).write()).rejects.toThrow(
      `The configuration of Zed, ${below}, cannot be written (ENOTDIR).`,
    )
  })

  test('writes nothing where the file cannot be kept as it was', async () => {
    const link = join(file, '..', 'x'.repeat(250))
    writeFileSync(file, '{"a": 1}')
    symlinkSync('settings.json', link)
    await expect(changeOf(client([entry], { file: link })).write()).rejects.toThrow('cannot be written (ENAMETOOLONG).')
    expect(text()).toBe('{"a": 1}')
  })

  test.each([true, false])('follows a link, also to a file that is there: %p', async (isThere) => {
    const folder = join(file, '../dotfiles')
    mkdirSync(folder)
    if (isThere) writeFileSync(join(folder, 'real.json'), '{"a": 1}')
    symlinkSync('dotfiles/real.json', file)
    await changeOf(client()).write()
    expect(lstatSync(file).isSymbolicLink()).toBe(true)
    expect(JSON.parse(readFileSync(join(folder, 'real.json'), 'utf8'))).toMatchObject({
      servers: { csp: { url: 'u' } },
    })
    await removalOf(client()).write()
    expect(lstatSync(file).isSymbolicLink()).toBe(true)
    expect(existsSync(join(folder, 'real.json'))).toBe(isThere)
    if (isThere) expect(text()).toBe('{"a": 1}')
  })
})

test('the copy of a file is made once, and of no file that is not there', async () => {
  expect([await keepFormer(client()), existsSync(backupOf(file))]).toEqual([backupOf(file), false])
  writeFileSync(file, '{"a": 1}', { mode: 0o640 })
  await keepFormer(client())
  writeFileSync(file, '{"a": 2}')
  await keepFormer(client())
  expect([readFileSync(backupOf(file), 'utf8'), modeOf(backupOf(file))]).toEqual(['{"a": 1}', '640'])
})

test('a value is found by names and by items of lists', () => {
  writeFileSync(file, '{"a": {"b": null, "list": [{"id": "x", "n": 1}, "y"]}}')
  const at = (...place: Setting['place']) => valueAt(client(), place)
  expect(at('a', 'b')).toBeNull()
  expect(at('a', 'list', { member: 'id', value: 'x' }, 'n')).toBe(1)
  expect(at('a', 'list', { value: 'y' })).toBe('y')
  for (const place of [
    ['b'],
    ['a', 'b', 'c'],
    ['a', 'list', 'length'],
    ['a', 'toString'],
    ['a', 'list', { value: 'z' }],
  ])
    expect(at(...place)).toBeUndefined()
})

test.each([
  [['servers', 'csp'], true],
  [['csp', 'url'], false],
  [['tools', { member: 'name', value: 'csp' }], true],
  [['tools', { value: 'exa' }], false],
  [[], false],
])('of %j it is said whether it is named after csp: %p', (place, isOurs) => {
  expect(isNamedAfterUs(place)).toBe(isOurs)
})

describe('the removal of csp from a file', () => {
  const settings: readonly Setting[] = [
    entry,
    { place: ['web', 'provider'], value: 'csp-search' },
    { place: ['web', 'limit'], value: 120, isOurs: true },
  ]

  test('gives back the file as it was, with its mode, and removes the copy', async () => {
    const before = '{ // mine\n "web": {"provider": "exa"}}'
    writeFileSync(file, before)
    chmodSync(file, 0o640)
    await changeOf(client(settings)).write()
    const removal = removalOf(client(settings))
    expect(removal.diff).toBe(
      '- web.provider: "csp-search"\n+ web.provider: "exa"\n- web.limit: 120\n- servers.csp.url: "u"\n',
    )
    expect(await removal.write()).toBeUndefined()
    expect([text(), modeOf(file), existsSync(backupOf(file))]).toEqual([before, '640', false])
    expect(removalOf(client(settings)).diff).toBe('')
  })

  test('removes a file that csp made, but none with something of the user in it', async () => {
    await changeOf(client(settings)).write()
    await removalOf(client(settings)).write()
    expect(existsSync(file)).toBe(false)
    await changeOf(client(settings)).write()
    writeFileSync(file, text().replace('{', '{"mine": 1, '))
    await removalOf(client(settings)).write()
    expect(JSON.parse(text())).toEqual({ mine: 1 })
  })

  test('leaves an empty file that was there before csp, and one that has nothing of csp', async () => {
    writeFileSync(file, '{}')
    await changeOf(client(settings)).write()
    await removalOf(client(settings)).write()
    expect([text(), existsSync(backupOf(file))]).toEqual(['{}', false])
    await removalOf(client(settings)).write()
    expect(text()).toBe('{}')
  })

  test('leaves what the user has changed since, but what is named after csp or is its alone', async () => {
    await changeOf(client(settings)).write()
    writeFileSync(file, '{"servers": {"csp": 1, "b": 2}, "web": {"provider": "brave", "limit": 7}}')
    await removalOf(client(settings)).write()
    expect(JSON.parse(text())).toEqual({ servers: { b: 2 }, web: { provider: 'brave' } })
  })

  test('leaves groups that were empty before csp, and removes those that it made', async () => {
    writeFileSync(file, '{"servers": {}, "x": 1}')
    const deep: Setting = { place: ['a', 'b', 'csp'], value: 1 }
    await changeOf(client([...settings, deep])).write()
    writeFileSync(file, text().replace('"x": 1', '"x": 2'))
    await removalOf(client([...settings, deep])).write()
    expect(JSON.parse(text())).toEqual({ servers: {}, x: 2 })
  })

  test('of a client that is known by its copy does nothing without one', async () => {
    writeFileSync(file, '{"servers": {"csp": {"url": "u"}}}')
    expect(removalOf(client(settings, { isKnownByCopy: true })).diff).toBe('')
    await keepFormer(client())
    writeFileSync(backupOf(file), '{}')
    expect(removalOf(client(settings, { isKnownByCopy: true })).diff).toBe('- servers.csp.url: "u"\n')
  })
})
