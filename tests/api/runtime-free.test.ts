import { expect, test } from 'bun:test'

/** Every file of ours that the app reaches, with its text. */
async function closure(entry: URL, seen = new Map<string, string>()): Promise<ReadonlyMap<string, string>> {
  if (seen.has(entry.href)) return seen
  const text = await Bun.file(entry).text()
  seen.set(entry.href, text)
  for (const { path } of new Bun.Transpiler({ loader: 'ts' }).scanImports(text)) {
    if (path.startsWith('.')) await closure(new URL(path, entry), seen)
    else expect(path).toMatch(/^(hono|zod|@modelcontextprotocol\/sdk)(\/|$)/)
  }
  return seen
}

test('the app names no runtime, so any may serve it', async () => {
  const files = await closure(new URL('../../src/app.ts', import.meta.url))
  expect(files.size).toBeGreaterThan(20)
  for (const [name, text] of files) {
    expect({ name, found: /\bBun\b|\bnode:|\bprocess\b/.exec(withoutComments(text))?.[0] }).toEqual({
      name,
      found: undefined,
    })
  }
})

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
}
