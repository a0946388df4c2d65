// Makes what README.md shows of csp, on the sandbox: the reply of a search, the answer of a command, and docs/page.png.
// `node scripts/bun.mjs scripts/exhibits.ts [--no-picture]`. Run it after the page, the sandbox or the prompts have changed.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { chromiumPath } from '../packages/testing/src/chromium-path.ts'

const root = join(import.meta.dir, '..')
const launcher = join(root, 'bin/csp.mjs')
const question = 'How do honey bees dance?'
/** Another one, which no cache has. */
const questionOfPicture = 'At what pressure is espresso brewed?'
/** What the sandbox ends a longer answer with. */
const lastWords = 'A survey of 2,417 readers'

const home = mkdtempSync(join(tmpdir(), 'csp-exhibits-'))
const environment = { PATH: process.env['PATH'], HOME: home, TMPDIR: tmpdir(), NO_COLOR: '1' }
const csp = Bun.spawn(['node', launcher, 'serve', '--sandbox', '--port', '0'], {
  env: environment,
  stdout: 'ignore',
  stderr: 'pipe',
})
try {
  const address = await addressOf(csp.stderr)
  const readme = join(root, 'README.md')
  const text = withExhibit(readFileSync(readme, 'utf8'), 'search', await search(address))
  writeFileSync(readme, withExhibit(text, 'answer', await answer()))
  if (!process.argv.includes('--no-picture')) await picture(address)
} finally {
  csp.kill()
  await csp.exited
  rmSync(home, { recursive: true, force: true })
}

/** A page whose exhibit of this name is `lines`. */
function withExhibit(page: string, name: string, lines: string): string {
  const begin = page.indexOf(`<!-- ${name}: by scripts/exhibits.ts -->`)
  const end = page.indexOf('<!-- end of exhibit -->', begin)
  if (begin < 0 || end < 0) throw new Error(`README.md lacks the exhibit ${name}.`)
  const from = page.indexOf('\n', begin) + 1
  return `${page.slice(0, from)}\n\`\`\`console\n${lines}\n\`\`\`\n\n${page.slice(end)}`
}

async function search(address: string): Promise<string> {
  const path = '/v1/search?q=honey+bees+dance&count=1'
  const { query, backend, results } = await (await fetch(address + path)).json()
  const [row] = results
  const { title, url, snippet, published_date } = row
  return [
    `$ curl 'http://127.0.0.1:52480${path}'`,
    `{"query":${JSON.stringify(query)},"backend":${JSON.stringify(backend)},…`,
    ` "results":[{"title":${JSON.stringify(title)},"url":${JSON.stringify(url)},`,
    ...[` "snippet":${JSON.stringify(snippet)},`, ` "published_date":${JSON.stringify(published_date)},…}]}`],
  ].join('\n')
}

async function answer(): Promise<string> {
  const asked = Bun.spawn(['node', launcher, question], { env: environment, stdout: 'pipe', stderr: 'inherit' })
  const printed = await new Response(asked.stdout).text()
  if ((await asked.exited) !== 0) throw new Error('csp gave no answer.')
  return `$ csp ${JSON.stringify(question)}\n${printed.trim()}`
}

/** The page with an answer that has ended, found by what a person sees. */
async function picture(address: string): Promise<void> {
  if (!chromiumPath) throw new Error('The picture needs a Chromium: install chromium-headless-shell.')
  const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    await page.goto(address)
    const asked = page.getByRole('textbox').or(page.getByRole('searchbox')).first()
    await asked.fill(questionOfPicture)
    await asked.press('Enter')
    await page.getByText(lastWords).first().waitFor({ timeout: 60_000 })
    // Evidence comes after the last word.
    await page
      .getByText(/not found|not on/i)
      .first()
      .waitFor({ timeout: 10_000 })
      .catch(() => undefined)
    await page.screenshot({ path: join(root, 'docs/page.png'), animations: 'disabled' })
  } finally {
    await browser.close()
  }
}

/** The address that csp says it listens at. */
async function addressOf(output: ReadableStream<Uint8Array>): Promise<string> {
  let said = ''
  for await (const piece of output.pipeThrough(new TextDecoderStream() as never)) {
    said += String(piece)
    const [found] = said.match(/http:\/\/127\.0\.0\.1:\d+/) ?? []
    if (found) return found
  }
  throw new Error(`csp did not start: ${said}`)
}
