// `npm run page` makes src/web-ui/made: the script of the page, of src/web-ui/browser, and its font. Both are text, so that
// a checkout, npm's package, the compiled binary and the Worker import them alike. The same sources give the same bytes.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')

/** What belongs into src/web-ui/made, by name. */
export async function madePage(): Promise<Readonly<Record<string, string>>> {
  const { outputs } = await Bun.build({
    entrypoints: [join(root, 'src/web-ui/browser/main.tsx')],
    target: 'browser',
    format: 'esm',
    minify: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    jsx: { runtime: 'automatic', importSource: 'preact', development: false },
  })
  const [script] = outputs
  if (!script || outputs.length !== 1) throw new Error('The script of the page is to be one file.')
  const font = readFileSync(join(root, 'node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'))
  return { 'script.txt': await script.text(), 'font.txt': font.toString('base64') }
}

if (import.meta.main)
  for (const [name, text] of Object.entries(await madePage())) writeFileSync(join(root, 'src/web-ui/made', name), text)
