import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { type CspProcess, startCsp } from '../support/csp-process.ts'

// What the guides tell people to run, run as it stands there but for the port.

const root = join(import.meta.dir, '../..')
const guides = join(root, 'docs/clients')
const standIn = startSandbox()
let csp: CspProcess

beforeAll(async () => {
  csp = await startCsp({ standInUrl: standIn.url, flags: ['--rate', '0'] })
})

afterAll(async () => {
  await csp.stop()
  await standIn.stop()
})

/** The code of a guide, each block with its place among them. */
function blocksOf(guide: string, language: string): readonly (readonly [string, number, string])[] {
  const text = readFileSync(join(guides, guide), 'utf8')
  const pattern = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms')
  return [...text.matchAll(pattern)].map(([, block = ''], index) => [guide, index + 1, block] as const)
}

async function run(command: readonly string[], code: string): Promise<string> {
  const input = new Blob([code.replaceAll('http://127.0.0.1:52480', csp.url)])
  const child = Bun.spawn([...command], { cwd: root, stdin: input, stdout: 'pipe', stderr: 'pipe' })
  const [printed, complaints, exit] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  expect({ exit, complaints }).toMatchObject({ exit: 0 })
  return printed
}

test.each([...blocksOf('curl.md', 'sh'), ...blocksOf('gemini.md', 'sh')])(
  'the shell command in the guide %s, block %i, finds pages',
  async (_guide, _number, command) => {
    expect(await run(['sh'], command)).toMatch(/Sandbox.*https?:\/\//s)
  },
)

const python = Bun.which('python3')
;(python ? test : test.skip).each(blocksOf('python.md', 'python'))(
  `%s, block %i${python ? '' : ' (needs python3)'}`,
  async (_guide, _number, code) => {
    const printed = await run(['python3', '-'], code)
    expect(printed).toMatch(/^(\d{4}-\d{2}-\d{2}|None) .*Sandbox.* https?:/m)
    expect(printed).toMatch(/Sandbox answer.*\[1\].*\n\[1\] https?:/s)
  },
)

test.each([...blocksOf('ai-sdk.md', 'ts'), ...blocksOf('gemini.md', 'ts'), ...blocksOf('langchain.md', 'ts')])(
  'the code in the guide %s, block %i, runs',
  async (guide, _number, code) => {
    const printed = await run([process.execPath, '--no-install', '-'], code)
    expect(printed).toMatch(guide === 'langchain.md' ? /Sandbox answer/ : /Sandbox answer.*\nhttps?:/s)
  },
)

test('every JSON block of the guides is valid JSON', () => {
  const blocks = readdirSync(guides).flatMap((guide) => blocksOf(guide, 'json'))
  expect(blocks.length).toBeGreaterThan(2)
  for (const [, , block] of blocks) JSON.parse(block)
})

const table = readFileSync(join(guides, 'README.md'), 'utf8')

test('every guide is linked', () => {
  const linked = [...new Set(Array.from(table.matchAll(/\]\(([a-z0-9-]+\.md)/g), ([, file]) => file))]
  const present = readdirSync(guides).filter((file) => file !== 'README.md')
  expect(linked.toSorted()).toEqual(present.toSorted())
})

test('the list of clients has the version of each that is tested', () => {
  const page = readFileSync(join(guides, '../../tests/clients/README.md'), 'utf8')
  const list = page.slice(0, page.indexOf('Tried by hand'))
  const rows = [...list.matchAll(/^\| `([^`]+)` \| ([\d.]+) \|/gm)].map(([, name = '', version]) => [name, version])
  const known: Readonly<Record<string, string>> = { ...manifest.dependencies, ...manifest.devDependencies }
  expect(rows.length).toBeGreaterThan(10)
  expect(rows).toEqual(rows.map(([name = '']) => [name, known[name]]))
})
