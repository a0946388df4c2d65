import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { deferred } from '@csp/lib/deferred'
import { addressesFor, type Network } from '../local/network.ts'
import { checkPageUrl, type OpenedHosts } from '../local/page-url.ts'

export interface CheckedProxyOptions extends Network {
  readonly opened: OpenedHosts
  /** The most bytes from outside over all connections; then they end. */
  readonly maxBytes: number
}

/** A proxy on loopback by which a browser reaches what pages may be read from, and nothing else. */
export interface CheckedProxy {
  readonly port: number
  /** Ends its connections, too. */
  close(): void
}

/**
 * Opens a SOCKS proxy: the browser names a host, csp resolves and checks it and connects to the address that it has
 * checked. So no name can mean another address by then, and redirects, scripts and sockets have no other way.
 */
export async function openCheckedProxy(options: CheckedProxyOptions): Promise<CheckedProxy> {
  const sockets = new Set<Socket>()
  let bytesLeft = options.maxBytes
  const track = (socket: Socket): Socket => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    return socket.on('close', () => sockets.delete(socket))
  }
  const server = createServer((browser) => {
    track(browser)
    greet(browser, async (target) => {
      const site = await reached(target, options, track).catch(() => undefined)
      if (!site || browser.destroyed) {
        site?.destroy()
        browser.end(answer(notAllowed))
        return
      }
      browser.write(answer(succeeded))
      site.on('data', ({ length }: Buffer) => {
        bytesLeft -= length
        if (bytesLeft < 0) site.destroy()
      })
      site.on('close', () => browser.end())
      browser.on('close', () => site.destroy())
      site.pipe(browser)
      browser.pipe(site)
    })
  })
  await new Promise<void>((resolve, reject) => server.on('error', reject).listen(0, '127.0.0.1', resolve))
  return {
    // It listens on TCP.
    port: (server.address() as AddressInfo).port,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

interface Target {
  readonly host: string
  readonly port: number
}

/** Takes the greeting and the request of a SOCKS 5 client (RFC 1928). What is not such a client is cut off. */
function greet(browser: Socket, onTarget: (target: Target) => Promise<void>): void {
  let head = Buffer.alloc(0)
  let isGreeted = false
  const take = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk])
    if (head[0] !== 5 || head.length > maxHeadBytes) return void browser.destroy()
    const greetingLength = 2 + (head[1] ?? 0)
    if (!isGreeted && head.length >= greetingLength) {
      isGreeted = true
      head = head.subarray(greetingLength)
      browser.write(Buffer.from([5, 0]))
    }
    if (!isGreeted || head.length < 5) return
    const length = addressLength[head[3] ?? 0]?.(head)
    if (head[1] !== 1 || length === undefined) return void browser.end(answer(notAllowed))
    if (head.length < 4 + length + 2) return
    browser.off('data', take)
    browser.pause()
    void onTarget({ host: hostIn(head, length), port: head.readUInt16BE(4 + length) })
  }
  browser.on('data', take)
}

/** The length of the address in a request, by its kind: IPv4, a name behind its length, IPv6. */
const addressLength: Readonly<Record<number, (head: Buffer) => number>> = {
  1: () => 4,
  3: (head) => 1 + (head[4] ?? 0),
  4: () => 16,
}

function hostIn(head: Buffer, length: number): string {
  const bytes = head.subarray(4, 4 + length)
  if (head[3] === 3) return bytes.subarray(1).toString('latin1')
  if (head[3] === 1) return bytes.join('.')
  return `[${(bytes.toString('hex').match(/.{4}/g) ?? []).join(':')}]`
}

async function reached(
  target: Target,
  options: CheckedProxyOptions,
  track: (socket: Socket) => Socket,
): Promise<Socket> {
  const page = checkPageUrl(`http://${target.host}:${target.port}/`, options.opened)
  const addresses = await addressesFor(page, options)
  let failure: unknown
  for (const host of addresses.slice(0, maxTries)) {
    const { promise, resolve, reject } = deferred<Socket>()
    const socket = track(connect({ host, port: page.port, timeout: connectTimeoutMs }))
    socket.once('connect', () => resolve(socket.setTimeout(0)))
    socket.once('timeout', () => socket.destroy(new Error('The site did not answer.')))
    socket.once('close', () => reject(new Error('The connection failed.')))
    try {
      return await promise
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

const maxTries = 3
const connectTimeoutMs = 5000
/** A name has 255 characters at most. */
const maxHeadBytes = 600

const succeeded = 0
const notAllowed = 2

function answer(code: number): Buffer {
  return Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0])
}
