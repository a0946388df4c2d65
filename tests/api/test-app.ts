import type { RequestLog } from '../../src/api/exchange/request-log.ts'
import { type AppOptions, createApp } from '../../src/app.ts'
import { answered, found, type ScriptedExecutor, type Step, scriptedExecutor } from '../support/scripted-executor.ts'

export interface TestApp {
  readonly executor: ScriptedExecutor
  readonly log: readonly RequestLog[]
  readonly get: (path: string, headers?: Record<string, string>) => Promise<TestReply>
  readonly post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<TestReply>
  readonly request: (path: string, init?: RequestInit) => Promise<Response>
}

export interface TestReply {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came, and says what it expects of it
  readonly body: any
}

export const fixedNow = new Date('2026-11-20T10:00:00.000Z')

/** The app over a scripted executor, with a clock that stands still and the ids `id-1`, `id-2`, … */
export function testApp(
  script: ScriptedExecutor | readonly Step[] = usual(),
  options: Partial<AppOptions> = {},
): TestApp {
  const executor = isExecutor(script) ? script : scriptedExecutor(script)
  const log: RequestLog[] = []
  let ids = 0
  const app = createApp({
    executor,
    version: '1.2.3',
    now: () => fixedNow,
    newId: () => `id-${++ids}`,
    log: (entry) => log.push(entry),
    ...options,
  })
  const request = async (path: string, init?: RequestInit) => app.request(path, init)
  const read = async (response: Response): Promise<TestReply> => ({
    status: response.status,
    headers: response.headers,
    body: await response.json(),
  })
  return {
    executor,
    log,
    request,
    get: async (path, headers = {}) => read(await request(path, { headers })),
    post: async (path, body, headers = {}) =>
      read(await request(path, { method: 'POST', body: JSON.stringify(body), headers })),
  }
}

/** A chat with one question. */
export function asks(text: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { messages: [{ role: 'user', content: text }], ...more }
}

/** The data of each server-sent event, in order; comments are left out. */
export function framesOf(text: string): readonly string[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('data: '))
    .map((block) => block.slice('data: '.length))
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came, and says what it expects of it
export function chunksOf(text: string): readonly any[] {
  return framesOf(text)
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data))
}

/** Finds three pages, or answers from three. */
export function usual(): ScriptedExecutor {
  return scriptedExecutor(({ want }) => (want === 'results' ? found(3) : answered))
}

function isExecutor(script: ScriptedExecutor | readonly Step[]): script is ScriptedExecutor {
  return 'search' in script
}
