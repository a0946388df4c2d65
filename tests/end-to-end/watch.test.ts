import { expect, setDefaultTimeout, test } from 'bun:test'
import { cspOnSandbox } from '../support/csp-on-sandbox.ts'
import { eventually } from '../support/eventually.ts'
import { claudeEnvironment } from '../support/real-claude.ts'
import { launcher } from '../support/tested-program.ts'

// A csp that runs searches as soon as `csp watch` asks it to.

setDefaultTimeout(90_000)
const { csp, standIn } = await cspOnSandbox(['--search-model', 'sonnet'])

test('csp watch has the csp that runs search, and the feed has what it found', async () => {
  const run = async (...args: readonly string[]) => {
    const child = Bun.spawn(['node', launcher, 'watch', ...args], {
      env: { ...claudeEnvironment(standIn.url, csp.home), TMPDIR: csp.home },
      cwd: csp.home,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    return { code: await child.exited, output, errors }
  }
  const { code, output, errors } = await run('harbour seals', '--every', 'hour', '--json')
  expect({ code, errors }).toEqual({ code: 0, errors: '' })
  const { feed } = JSON.parse(output)
  expect(feed).toStartWith(`${csp.url}/v1/watches/`)
  let xml = ''
  await eventually(async () => {
    xml = await (await fetch(feed)).text()
    return xml.includes('<entry>')
  })
  expect(xml).toContain('<category term="new"/>')
  expect(standIn.sandbox.stats().callsByKind.search).toBe(1)
  expect(csp.log()).not.toContain(feed.slice(-37, -5))
  expect(await (await fetch(`${csp.url}/metrics`)).text()).toMatch(/^csp_watches 1$/m)
  const { rows } = await (await fetch(`${csp.url}/health`)).json()
  expect(rows).toContainEqual({ name: 'Watches', level: 'ok', text: '1.' })
  expect((await run('remove', feed)).output).toBe('Removed.\n')
  expect((await fetch(feed)).status).toBe(404)
})
