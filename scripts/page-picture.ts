// Makes the picture of docs/page.md anew: the page of a csp on the sandbox, in Debian's chromium.
import { join } from 'node:path'
import { chromium } from 'playwright-core'

const root = join(import.meta.dir, '..')
const executablePath = Bun.which('chromium') ?? Bun.which('google-chrome')
if (!executablePath) throw new Error('It needs chromium.')
const csp = Bun.spawn(['node', join(root, 'bin/csp.mjs'), 'serve', '--sandbox', '--port', '0'], {
  stdout: 'ignore',
  stderr: 'pipe',
})
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  await page.goto(await addressOf(csp.stderr))
  await page.fill('#question', 'How do heat pumps work in cold climates?')
  await page.click('#submit')
  await page.locator('.actions').waitFor()
  await page.screenshot({ path: join(root, 'docs/page.png') })
} finally {
  await browser.close()
  csp.kill()
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
