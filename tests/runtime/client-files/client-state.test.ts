import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClientAddress, SettingsFile } from '../../../src/clients/client.ts'
import { usualAddresses } from '../../../src/clients/snippets.ts'
import { clientAddresses } from '../../../src/runtime/client-files/addresses.ts'
import { addressIn, filesOf, hasCsp, removalsFor, takeOut } from '../../../src/runtime/client-files/client-state.ts'
import type { KnownClient } from '../../../src/runtime/client-files/known-clients.ts'
import { keyOf, writeClient } from '../../../src/runtime/client-files/write-client.ts'
import { loadConfig } from '../../../src/runtime/config/config.ts'
import { addKey, readKeyFile } from '../../../src/runtime/server/key-file.ts'
import { testShell } from '../test-shell.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-client-state-'))
afterAll(() => rmSync(scratch, { recursive: true }))

let home: string
beforeEach(() => {
  home = mkdtempSync(join(scratch, 'home-'))
})
const main = () => join(home, 'a.json')
const beside = () => join(home, 'b.env')
const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined)

const address: ClientAddress = { url: 'http://127.0.0.1:1' }
const addresses = usualAddresses(address)

/** A client with two files: an address in one, a key in the other. */
function client(more: Partial<KnownClient> = {}): KnownClient {
  return {
    ...{ id: 'one', title: 'One', group: 'coding', request: { kind: 'mcp' }, file: main() },
    files: ({ address: { url, key = 'local' } }): readonly SettingsFile[] => [
      { format: 'json', settings: [{ place: ['search'], value: { url: `${url}/mcp`, on: true } }] },
      { beside: 'b.env', format: 'env', settings: [{ place: ['KEY'], value: `Bearer ${key}` }] },
    ],
    ...more,
  }
}

const write = (json: string, env?: string) => {
  writeFileSync(main(), json)
  if (env !== undefined) writeFileSync(beside(), env)
}

test('the files of a client are its own and those beside it, and none where its file is not known', () => {
  expect(filesOf(client(), addresses).map(({ file }) => file)).toEqual([main(), beside()])
  expect(filesOf(client({ file: undefined }), addresses)).toEqual([])
})

test('clients get the command of csp by lasting paths, and the program that they start', () => {
  const environment = { HOME: home, PATH: '' }
  const call = { shell: testShell({ environment, directory: home }), loaded: loadConfig({}, environment, home) }
  const { command = [], program } = clientAddresses(call, address)
  expect(command.length).toBeGreaterThan(1)
  expect(command[0]).toStartWith('/')
  expect(program.args.at(-1)).toBe('mcp')
})

test.each([
  ['{"search": {"url": "http://127.0.0.1:1/mcp"}}', "KEY='Bearer k-1'", { url: 'http://127.0.0.1:1', key: 'k-1' }],
  ['{"search": {"url": "https://csp.example/mcp"}}', "KEY='Bearer local'", { url: 'https://csp.example' }],
  ['{"search": {"url": "https://csp.example/mcp"}}', 'OTHER=1', { url: 'https://csp.example' }],
  ['{"search": {"url": "https://csp.example/other"}}', "KEY='Bearer k-1'", undefined],
  ['{"search": {"url": 5}}', '', undefined],
  ['{"search": "http://127.0.0.1:1/mcp"}', '', undefined],
  ['{}', "KEY='Bearer k-1'", undefined],
])('the address in %s and %s is %j', (json, env, expected) => {
  write(json, env)
  expect(addressIn(client(), addresses)).toEqual(expected)
  expect(hasCsp(client(), addresses)).toBe(expected !== undefined)
})

test('a key alone that is absent is none, and a file without an address is not read for it', () => {
  const settings = (place: string, value: unknown) =>
    ({ format: 'json', settings: [{ place: [place], value }] }) as const
  const files: KnownClient['files'] = ({ address: { url, key = 'local' } }) => [
    { format: 'json', settings: [...settings('url', url).settings, ...settings('key', key).settings] },
    { beside: 'b.env', ...settings('other', 'x') },
  ]
  write('{"url": "http://127.0.0.1:1"}', 'torn')
  expect(addressIn(client({ files }), addresses)).toEqual({ url: 'http://127.0.0.1:1' })
})

test('a client has something of csp by its address, by its name, or by the copy of its file', () => {
  const named = client({ files: () => [{ format: 'json', settings: [{ place: ['servers', 'csp'], value: 1 }] }] })
  write('{"servers": {"other": 1}}')
  expect(hasCsp(named, addresses)).toBe(false)
  write('{"servers": {"csp": 2}}')
  expect(hasCsp(named, addresses)).toBe(true)
  expect(hasCsp(client({ ...named, files: client().files }), addresses)).toBe(false)
  const byCopy = client({ isKnownByCopy: true })
  write('{"search": {"url": "http://127.0.0.1:1/mcp"}}')
  expect([hasCsp(byCopy, addresses), hasCsp({ ...byCopy, file: undefined }, addresses)]).toEqual([false, false])
  writeFileSync(`${main()}.before-csp`, '{}')
  expect(hasCsp(byCopy, addresses)).toBe(true)
})

test('csp is taken out of all files, also from another address and by the way of a plugin', async () => {
  const plugin = client({ files: () => [{ format: 'json', settings: [{ place: ['plugin'], value: 'csp' }] }] })
  write(
    '{"search": {"url": "https://csp.example/mcp", "on": true}, "plugin": "csp", "mine": 1}',
    "KEY='Bearer k-1'\nA=1\n",
  )
  expect(removalsFor(client({ byPlugin: plugin }), addresses)).toMatchObject([
    { file: main(), diff: '- search.url: "https://csp.example/mcp"\n- search.on: true\n- plugin: "csp"\n' },
    { file: beside(), diff: '- KEY: (hidden)\n' },
  ])
  expect(await takeOut(client(), addresses, {})).toBeUndefined()
  expect(JSON.parse(read(main()) ?? '')).toEqual({ plugin: 'csp', mine: 1 })
  expect(read(beside())).toBe('A=1\n')
})

test('a plugin that cannot be removed is left to the user, and the settings go all the same', async () => {
  const plugin = client({ files: () => [{ format: 'json', settings: [{ place: ['plugin'], value: 'csp' }] }] })
  const environment = { HOME: home, PATH: '' }
  const taken = (byPlugin?: typeof plugin) => takeOut(client({ byPlugin }), addresses, environment)
  expect(await taken(plugin)).toBeUndefined()
  mkdirSync(join(home, '.openclaw/extensions/csp'), { recursive: true })
  write('{"plugin": "csp", "mine": 1}')
  expect(await taken(plugin)).toBe('The plugin is still there: openclaw plugins uninstall csp')
  expect(JSON.parse(read(main()) ?? '')).toEqual({ mine: 1 })
  expect(await taken()).toBeUndefined()
})

describe('the settings of a client are written', () => {
  const said: string[] = []
  beforeEach(() => {
    said.length = 0
  })
  /** Writes, and says yes or no. */
  function written(yes: boolean, given = address, one = client()) {
    const environment = { HOME: home, PATH: '' }
    const call = { shell: testShell({ environment, directory: home }), loaded: loadConfig({}, environment, home) }
    return {
      call,
      keyFile: call.loaded.config.keyFile,
      result: () =>
        writeClient(
          call,
          one,
          given,
          (text) => void said.push(text),
          async () => yes,
        ),
    }
  }

  test('after a yes, with a copy of each file that was there', async () => {
    write('{"mine": 1}')
    expect(await written(false).result()).toEqual({ outcome: 'declined' })
    expect([read(main()), read(beside())]).toEqual(['{"mine": 1}', undefined])
    said.length = 0
    expect(await written(true).result()).toEqual({ outcome: 'written', backup: `${main()}.before-csp`, key: undefined })
    expect(said).toEqual([
      ...['+ search.url: "http://127.0.0.1:1/mcp"', '+ search.on: true', beside(), '+ KEY: (hidden)'],
      `Written; the former file is ${main()}.before-csp.`,
    ])
    said.length = 0
    expect([await written(true).result(), said]).toEqual([{ outcome: 'unchanged' }, ['Searches with csp already.']])
  })

  test('with a key of its own where csp wants one, under a name that is free', async () => {
    const { keyFile, result, call } = written(true)
    for (const name of ['one', 'one-2']) await addKey(keyFile, name)
    expect(await result()).toMatchObject({ outcome: 'written', key: 'one-3' })
    expect(said.at(-1)).toBe('Written. Its key is "one-3".')
    const { key } = addressIn(client(), addresses) ?? {}
    expect(key).toStartWith('csp_')
    // The next time it is found there.
    expect(keyOf(call, client(), address)).toEqual({ ...address, key })
    expect(keyOf(call, client(), { ...address, key: 'k' }).key).toBe('k')
    expect(keyOf(call, client(), { url: 'http://127.0.0.1:2' })).toEqual({ url: 'http://127.0.0.1:2' })
    expect(await result()).toEqual({ outcome: 'unchanged' })
    expect(await readKeyFile(keyFile)).toHaveLength(3)
    // A program that csp is started by needs none.
    rmSync(main())
    const program = client({ request: { kind: 'program' } })
    expect(await written(true, { url: 'http://127.0.0.1:3' }, program).result()).toMatchObject({ key: undefined })
  })

  test('as a whole or not at all: a file that cannot be written takes the others and the key back', async () => {
    write('{"mine": 1}')
    // Below a file nothing can be written.
    symlinkSync(join(main(), 'env'), beside())
    const { keyFile, result } = written(true)
    await expect(result()).rejects.toThrow('cannot be written')
    expect(read(main())).toBe('{"mine": 1}')
    await addKey(keyFile, 'other')
    await expect(result()).rejects.toThrow('cannot be written')
    expect(read(main())).toBe('{"mine": 1}')
    expect((await readKeyFile(keyFile)).map(({ name }) => name)).toEqual(['other'])
  })
})
