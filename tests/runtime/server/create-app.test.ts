import { expect, test } from 'bun:test'
import { loadConfig } from '../../../src/runtime/config/config.ts'
import { createConfiguredApp } from '../../../src/runtime/server/create-app.ts'
import { found, scriptedExecutor } from '../../support/scripted-executor.ts'

test.each([['on', 400] as const, ['off', 404] as const])(
  'with --page %s a code of a sign-in gets %s',
  async (page, status) => {
    const { config } = loadConfig({ page }, { HOME: '/nowhere' }, '/')
    const signIn = { begin: async function* () {}, enter: async () => false }
    const log = () => {}
    const app = createConfiguredApp(config, scriptedExecutor(found(1)), log, { signIn })
    const body = JSON.stringify({ id: 'one' })
    const request = new Request('http://127.0.0.1/v1/sign-in/code', { method: 'POST', body })
    expect((await app(request)).status).toBe(status)
  },
)
