import { createSandbox } from '../../packages/sandbox/test/support/recorded-sandbox.ts'
import type { RunningSandbox } from '../../packages/sandbox/test/support/sandbox.ts'

/** A sandbox on loopback whose searches find these pages, in this order, instead of invented ones. */
export function startListingSandbox(urls: () => readonly string[]): RunningSandbox {
  const sandbox = createSandbox()
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const response = await sandbox.fetch(request)
      if (!response.headers.get('content-type')?.includes('event-stream')) return response
      const lines = (await response.text()).split('\n').map((line) => withPages(line, urls()))
      return new Response(lines.join('\n'), response)
    },
  })
  const stop = () => server.stop(true)
  return { url: `http://127.0.0.1:${server.port}`, sandbox, stop, [Symbol.asyncDispose]: stop }
}

function withPages(line: string, urls: readonly string[]): string {
  if (!line.startsWith('data: ') || !line.includes('"web_search_tool_result"')) return line
  const event = JSON.parse(line.slice('data: '.length))
  event.content_block.content = urls.map((url) => ({
    ...{ type: 'web_search_result', title: url, url, encrypted_content: 'x', page_age: null },
  }))
  return `data: ${JSON.stringify(event)}`
}
