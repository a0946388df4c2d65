import { charactersPerToken } from '@csp/sandbox/stream/pace'
import { createSandbox, type Sandbox, type SandboxOptions } from '../packages/sandbox/test/support/recorded-sandbox.ts'

/** The sandbox on loopback, which records when it sends the first text of a reply, and how much text it sends. */
export interface StandIn {
  readonly url: string
  readonly sandbox: Sandbox
  /** When the first text of the latest reply was sent, as of `performance.now()`. */
  firstTextAt(): number
  /** The text of all replies so far, in tokens. */
  textTokens(): number
  stop(): Promise<void>
}

/** Serves a sandbox and records when it sends text. */
export function startStandIn(options: SandboxOptions = {}): StandIn {
  const sandbox = createSandbox(options)
  let firstTextAt = Number.NaN
  let characters = 0
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const response = await sandbox.fetch(request)
      if (!response.body) return response
      let isFirst = true
      const note = (length: number) => {
        if (isFirst) firstTextAt = performance.now()
        isFirst = false
        characters += length
      }
      return new Response(onText(response.body, note), response)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    sandbox,
    firstTextAt: () => firstTextAt,
    textTokens: () => characters / charactersPerToken,
    stop: () => server.stop(true),
  }
}

/** The sandbox sends each event as a chunk of its own. */
function onText(body: ReadableStream<Uint8Array>, note: (length: number) => void): ReadableStream<Uint8Array> {
  const decoder = new TextDecoder()
  return body.pipeThrough(
    new TransformStream({
      transform(chunk, controller) {
        const text = /"text_delta","text":"(.*)"\}\}/.exec(decoder.decode(chunk))?.[1]
        if (text !== undefined) note(text.length)
        controller.enqueue(chunk)
      },
    }),
  )
}
