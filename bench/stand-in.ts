import { createSandbox, type Sandbox } from '../src/sandbox/sandbox.ts'

/** The sandbox on loopback, which records when it sends the first text of a reply. */
export interface StandIn {
  readonly url: string
  readonly sandbox: Sandbox
  /** When the first text of the latest reply was sent, as of `performance.now()`. */
  firstTextAt(): number
  stop(): Promise<void>
}

/** Serves a sandbox and records when it sends text. */
export function startStandIn(): StandIn {
  const sandbox = createSandbox()
  let firstTextAt = Number.NaN
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const response = await sandbox.fetch(request)
      if (!response.body) return response
      return new Response(
        onFirstText(response.body, () => (firstTextAt = performance.now())),
        response,
      )
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    sandbox,
    firstTextAt: () => firstTextAt,
    stop: () => server.stop(true),
  }
}

function onFirstText(body: ReadableStream<Uint8Array>, note: () => void): ReadableStream<Uint8Array> {
  const decoder = new TextDecoder()
  let noted = false
  return body.pipeThrough(
    new TransformStream({
      transform(chunk, controller) {
        if (!noted && decoder.decode(chunk).includes('text_delta')) {
          noted = true
          note()
        }
        controller.enqueue(chunk)
      },
    }),
  )
}
