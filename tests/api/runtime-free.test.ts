import { expect, test } from 'bun:test'
import { ownFile } from '../support/own-file.ts'

const appPackages =
  /^(hono|@hono\/zod-validator|zod|@modelcontextprotocol\/server|@cfworker\/json-schema|entities|eventsource-parser)(\/|$)/
const workerPackages =
  /^(hono|@hono\/zod-validator|zod|@modelcontextprotocol\/server|@cfworker\/json-schema|cloudflare:workers|entities|eventsource-parser|ocache|unstorage|yaml)(\/|$)/

/** Every file of ours that an entry reaches when it runs, with its text. */
async function closure(
  entry: URL,
  packages: RegExp,
  seen = new Map<string, string>(),
): Promise<ReadonlyMap<string, string>> {
  if (seen.has(entry.href)) return seen
  const text = await Bun.file(entry).text()
  seen.set(entry.href, text)
  for (const path of importsIn(text, entry.pathname.endsWith('.tsx'))) {
    if (/\.(json|css|svg)$/.test(path)) continue
    const own = ownFile(path, entry)
    if (own) await closure(own, packages, seen)
    else expect({ path, from: entry.pathname }).toMatchObject({ path: expect.stringMatching(packages) })
  }
  return seen
}

test.each([
  ['the app', 'app.ts', appPackages],
  ['the Worker', 'runtime/worker.ts', workerPackages],
])('the code of %s uses no runtime of its own, so any runtime may serve it', async (_, entry, packages) => {
  const files = await closure(new URL(`../../src/${entry}`, import.meta.url), packages)
  expect(files.size).toBeGreaterThan(20)
  for (const [name, whole] of files) {
    // Asks what it runs on, and does without: what a runtime may have besides is used through `?.` alone.
    const text = whole.replaceAll(/globalThis\.process\?\.getBuiltinModule\?\.\('node:\w+'\)/g, '')
    expect({ name, found: /\bBun\b|['"`]node:|\bprocess(?:\?\.|\.[a-z]|\[)/.exec(withoutComments(text))?.[0] }).toEqual(
      {
        name,
        found: undefined,
      },
    )
  }
})

/** In JSX `scanImports` sees React's, whatever the pragma of the file says, so it gets what has been made of that. */
function importsIn(text: string, isJsx: boolean): readonly string[] {
  const code = isJsx ? new Bun.Transpiler({ loader: 'tsx' }).transformSync(text) : text
  return new Bun.Transpiler({ loader: 'ts' }).scanImports(code).map(({ path }) => path)
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
}
