import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { ownLlmsText } from '../../../scripts/docs.ts'
import { vendors } from '../../../src/api/vendors.ts'
import { testApp } from '../test-app.ts'

test('llms.txt names every API with its base URL, at the address that was asked', async () => {
  const reply = await testApp(undefined, { keys: ['key'] }).request('http://localhost:1234/llms.txt')
  const text = await reply.text()
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  for (const { name, title, base } of vendors) {
    if (name !== 'execute') expect(text).toContain(`- ${title}: \`http://localhost:1234${base}\`.`)
  }
})

test('the llms.txt of the repository is what npm run docs writes', async () => {
  expect(readFileSync(new URL('../../../llms.txt', import.meta.url), 'utf8')).toBe(await ownLlmsText())
})
