import { describe, expect, test } from 'bun:test'
import type { RequestListener, ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { PageErrorCode } from '@csp/page-reader/page-error'
import { eventually } from '@csp/testing/eventually'
import { toPageError } from '../../packages/page-reader/src/page-failure.ts'
import { failureOf } from '../../packages/page-reader/test/contract/page-reader.ts'
import { openSite, readerOf, type SitePages } from '../page-reader/local/site.ts'
import { testNeeding } from '../support/needs.ts'
import { certificate } from './certificate.ts'

const testSecure = testNeeding('openssl', Bun.which('openssl') !== null)
const context = () => ({ signal: new AbortController().signal })

/** Reads `/` of a site and tells how that failed. */
async function failureAt(pages: SitePages | RequestListener, url?: string, timeoutMs = 20_000): Promise<string> {
  await using site = await openSite(typeof pages === 'function' ? { '/': pages } : pages)
  const reader = readerOf(site.port, { timeoutMs })
  try {
    return await failureOf(reader.read({ url: url ?? `${site.origin}/` }, context()))
  } finally {
    // Whatever happened, no connection is left.
    await eventually(async () => (await site.connections()) === 0)
    await reader.close()
  }
}

const redirectTo =
  (location: string, status = 302): RequestListener =>
  (_, response) =>
    response.writeHead(status, { location }).end()

describe('a site that redirects', () => {
  test.each([
    ...[
      'http://127.0.0.1/',
      'http://2130706433/',
      'http://[::ffff:127.0.0.1]/',
      'http://localhost/',
      'http://169.254.169.254/',
    ],
    ...['//10.0.0.1/', 'http://rebound.example/', '\\\\127.0.0.1/'],
  ])('to %s is not followed there', async (location) => {
    expect(await failureAt(redirectTo(location))).toBe('not-allowed')
  })

  test.each(['file:///etc/passwd', 'javascript:alert(1)', 'http://a:b@site.example/', 'http://site.example:22/'])(
    'to %s is not followed there, either',
    async (location) => expect(await failureAt(redirectTo(location))).toBe('invalid-url'),
  )

  test('for ever ends after six requests', async () => {
    let requests = 0
    const loop: RequestListener = (request, response) => {
      requests++
      redirectTo('/')(request, response)
    }
    expect(await failureAt(loop)).toBe('unreachable')
    expect(requests).toBe(6)
  })

  test('a few times is followed, and the page says where it ended', async () => {
    await using site = await openSite({
      '/': redirectTo('/a', 301),
      '/a': redirectTo('b', 307),
      '/b': '<p>Here it is.',
    })
    const reader = readerOf(site.port)
    const page = await reader.read({ url: `${site.origin}/#part` }, context())
    await reader.close()
    expect(page.finalUrl).toBe(`${site.origin}/b`)
    expect(page.contents.text).toBe('Here it is.')
  })

  testSecure('from https to http is not followed', async () => {
    const { key, cert } = certificate('site.example')
    const server = createSecureServer({ key, cert }, redirectTo('http://site.example/'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const reader = readerOf(port, { ca: cert, honoursRobots: false })
    expect(await failureOf(reader.read({ url: `https://site.example:${port}/` }, context()))).toBe('unreachable')
    await reader.close()
    server.close()
  })
})

describe('a site with a certificate', () => {
  testSecure('that nobody signed is not read', () => readSecurely('site.example', false, 'bad-certificate'))
  testSecure('of another name is not read', () => readSecurely('other.example', true, 'bad-certificate'))
  testSecure('that is right is read', () => readSecurely('site.example', true))

  async function readSecurely(name: string, isTrusted: boolean, code?: PageErrorCode): Promise<void> {
    const { key, cert } = certificate(name)
    const server = createSecureServer({ key, cert }, (_, response) => response.end('<p>Read me.'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const reader = readerOf(port, { honoursRobots: false, ...(isTrusted && { ca: cert }) })
    const reading = reader.read({ url: `https://site.example:${port}/` }, context())
    if (code) expect(await failureOf(reading)).toBe(code)
    else expect((await reading).contents.text).toBe('Read me.')
    await reader.close()
    server.close()
  }
})

describe('a body', () => {
  const type = (response: ServerResponse, contentType: string) => response.setHeader('content-type', contentType)

  test('that is announced as 1 GB is refused before it is read', async () => {
    let written = 0
    const huge: RequestListener = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-length': 1e9 })
      response.write('x'.repeat(1000), () => written++)
    }
    expect(await failureAt(huge)).toBe('too-large')
    expect(written).toBeLessThan(2)
  })

  test('without an end is cut off at the limit', async () => {
    let written = 0
    const endless: RequestListener = (_, response) => {
      type(response, 'text/plain')
      const more = () => {
        written += 65536
        if (!response.destroyed) response.write('y'.repeat(65536), () => setImmediate(more))
      }
      more()
    }
    expect(await failureAt(endless)).toBe('too-large')
    expect(written).toBeLessThan(20_000_000)
  })

  test('that inflates beyond the limit is refused', async () => {
    const bomb = gzipSync(Buffer.alloc(300_000_000))
    const gzip: RequestListener = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end(bomb)
    }
    expect(bomb.length).toBeLessThan(1_000_000)
    expect(await failureAt(gzip)).toBe('too-large')
  })

  test.each(['gzip', 'br', 'gzip, gzip', 'compress'])(
    'that is not what its encoding %s says is an error of the site',
    async (encoding) => {
      const wrong: RequestListener = (_, response) => {
        response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': encoding }).end('<p>plain')
      }
      expect(await failureAt(wrong)).toBe('site-failed')
    },
  )

  test.each(['/slow-head', '/slow-body', '/drip'])(
    'that comes too slowly ends with the time for it: %s',
    async (path) => {
      const slow: SitePages = {
        '/slow-head': () => {},
        '/slow-body': (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).write('<p>wait'),
        '/drip': (_, response) => {
          const timer = setInterval(() => (response.destroyed ? clearInterval(timer) : response.write('.')), 20)
        },
      }
      await using site = await openSite(slow)
      const reader = readerOf(site.port, { timeoutMs: 300 })
      expect(await failureOf(reader.read({ url: site.origin + path }, context()))).toBe('timeout')
      await eventually(async () => (await site.connections()) === 0)
      await reader.close()
    },
  )

  test.each([
    ['text/html', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR'],
    ['text/plain', 'MZ\0\0'],
    ['image/png', '\x89PNG\r\n\x1a\n'],
    ['application/zip', 'PK\x03\x04'],
    ['application/pdf', '<html><p>This is no PDF.'],
    ['application/pdf', '%PDF-1.7\nand then nothing that a PDF has'],
    ['text/html', '%PDF-1.4\n%%EOF'],
    ['application/octet-stream', '\0\x01\x02'],
    ['image/svg+xml', '<svg onload="alert(1)"/>'],
  ])(
    'that is called %s and is %j is of an unsupported type',
    async (contentType, body) => {
      const lying: RequestListener = (_, response) => {
        type(response, contentType)
        response.end(Buffer.from(body, 'latin1'))
      }
      expect(await failureAt(lying)).toBe('unsupported-type')
    },
    30_000,
  )

  test.each([
    ['', 'empty'],
    ['<html></html>', 'empty'],
    ['<script>document.write("x")</script>', 'needs-scripts'],
    [
      '<noscript>You need to enable JavaScript to run this app.</noscript><p>Please enable JavaScript.',
      'needs-scripts',
    ],
  ])('with nothing to read says why: %j', async (body, code) => expect(await failureAt({ '/': body })).toBe(code))

  test('of elements without end is refused in bounded time', async () => {
    // All that time a core is busy.
    expect(['timeout', 'too-large']).toContain(await failureAt({ '/': '<b>'.repeat(300_000) }, undefined, 300))
  }, 60_000)
})

describe('a connection', () => {
  test('to a closed port is unreachable', async () => {
    const server = createTcpServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    const reader = readerOf(port, { honoursRobots: false })
    expect(await failureOf(reader.read({ url: `http://site.example:${port}/` }, context()))).toBe('unreachable')
    await reader.close()
  })

  test.each([
    ['that breaks', (socket: { destroy(): void }) => socket.destroy(), 'unreachable'],
    [
      'that speaks another language',
      (socket: { end(text: string): void }) => socket.end('SSH-2.0-x\r\n\r\n'),
      'unreachable',
    ],
    [
      'with endless headers',
      (socket: { write(text: string): boolean; destroyed: boolean; on(name: string, listener: () => void): void }) => {
        socket.on('error', () => {})
        socket.write('HTTP/1.1 200 OK\r\n')
        const timer = setInterval(() => {
          if (socket.destroyed) clearInterval(timer)
          else socket.write(`x-a: ${'a'.repeat(60_000)}\r\n`)
        }, 1)
      },
      'unreachable',
    ],
  ] as const)('%s is unreachable', async (_, answer, code) => {
    const server = createTcpServer((socket) => socket.once('data', () => answer(socket)))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const reader = readerOf(port, { honoursRobots: false, timeoutMs: 20_000 })
    expect(await failureOf(reader.read({ url: `http://site.example:${port}/` }, context()))).toBe(code)
    await reader.close()
    server.close()
  })
})

test('what is thrown while a page is read is always a PageError', () => {
  expect(toPageError(new TypeError('x'), new AbortController().signal).code).toBe('failed')
})
