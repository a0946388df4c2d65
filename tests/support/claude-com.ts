import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { certificate } from '../security/certificate.ts'

/** A stand-in for the servers that a login of the CLI asks, and the variables that lead a CLI there. */
export interface ClaudeCom extends AsyncDisposable {
  readonly environment: Readonly<Record<string, string>>
  /** The codes that were exchanged for a login. */
  readonly codes: readonly string[]
}

export interface ClaudeComOptions {
  /** Serves the model calls: the CLI takes it for Anthropic's own API, and does what it does only there. */
  readonly messages?: ((request: Request) => Promise<Response>) | undefined
  /** What a plan has used, as the CLI asks for it. Absent: the server does not say. */
  readonly usage?: (() => object) | undefined
}

/** Takes every code but `wrong`. The CLI reaches it through a proxy that sends all names there. */
export function serveClaudeCom(folder: string, { messages, usage }: ClaudeComOptions = {}): ClaudeCom {
  const codes: string[] = []
  const tls = certificate('platform.claude.com', ['api.anthropic.com'])
  mkdirSync(folder, { recursive: true })
  const authority = join(folder, 'claude-com.pem')
  writeFileSync(authority, tls.cert)
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (messages && pathname === '/v1/messages') return messages(request)
      if (usage && pathname === '/api/oauth/usage') return Response.json(usage())
      if (pathname.endsWith('/profile'))
        return Response.json({ account: { uuid: 'a', email: 'a@b.example' }, organization })
      if (pathname !== '/v1/oauth/token') return new Response('{}', { status: 404 })
      const { code } = await request.json()
      if (code === 'wrong') return Response.json({ error: 'invalid_grant' }, { status: 400 })
      codes.push(code)
      const tokens = { access_token: 'sk-ant-oat01-stand-in', refresh_token: 'sk-ant-ort01-stand-in' }
      return Response.json({
        ...tokens,
        token_type: 'Bearer',
        expires_in: 28_800,
        scope: 'user:inference user:profile',
      })
    },
  })
  const proxy = Bun.listen<Tunnel>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(socket) {
        socket.data = { server: undefined }
      },
      async data(socket, chunk) {
        if (socket.data.server) return void (await socket.data.server).write(chunk)
        // The head of CONNECT; whatever its name is.
        socket.data.server = Bun.connect({
          hostname: '127.0.0.1',
          port: server.port ?? 0,
          socket: { data: (_, reply) => void socket.write(reply), close: () => void socket.end() },
        })
        await socket.data.server
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
      },
      close: (socket) => void socket.data.server?.then((other) => other.end()),
    },
  })
  return {
    environment: {
      HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
      NO_PROXY: '127.0.0.1',
      NODE_EXTRA_CA_CERTS: authority,
    },
    codes,
    async [Symbol.asyncDispose]() {
      proxy.stop(true)
      await server.stop(true)
    },
  }
}

interface Tunnel {
  server: Promise<Bun.Socket> | undefined
}

const organization = { uuid: 'o', organization_type: 'claude_max', rate_limit_tier: 'default_claude_max_5x' }
