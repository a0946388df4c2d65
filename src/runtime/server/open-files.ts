import { dlopen } from 'bun:ffi'
import { readdirSync, statSync } from 'node:fs'
import { errorCode } from '@csp/lib/errors'

/** What the system says of the files that this process has open, sockets included. */
export interface OpenFiles {
  /** How many it may have. Bun has raised that as far as its user may. */
  readonly limit: number
  /** How many it has. */
  count(): number
  /** The connections that were made to this port. */
  connectionsTo(port: number): readonly OpenConnection[]
}

export interface OpenConnection {
  /** The port at its other end. */
  readonly peer: number
  /** Ends it, as if its caller had. */
  cut(): void
}

/**
 * Asks the system itself: Bun tells nothing of a connection before its first request. `undefined` where that is not
 * possible, and on Windows, which knows no such limit.
 */
export function openFilesOfSystem(): OpenFiles | undefined {
  const library = process.platform === 'win32' ? undefined : libraries.map(load).find((it) => it !== undefined)
  if (!library) return undefined
  const { getpeername, getrlimit, getsockname, shutdown } = library.symbols
  const limits = new BigUint64Array(2)
  if (getrlimit(process.platform === 'darwin' ? 8 : 7, limits) < 0) return undefined
  const limit = Math.min(Number(limits[0]), Number.MAX_SAFE_INTEGER)
  const address = new Uint8Array(128)
  const length = new Uint32Array(1)
  /** The family and the port stand in the same places for all of them. */
  const portBy = (ask: typeof getsockname, descriptor: number) => {
    length[0] = address.length
    return ask(descriptor, address, length) < 0 ? undefined : new DataView(address.buffer).getUint16(2)
  }
  return {
    limit,
    count: () => countFiles() ?? 0,
    connectionsTo(port) {
      const found: OpenConnection[] = []
      for (let descriptor = 3; descriptor < Math.min(limit, maxDescriptors); descriptor++) {
        if (portBy(getsockname, descriptor) !== port) continue
        const peer = portBy(getpeername, descriptor)
        // Bun closes it when it sees that nothing more comes: the descriptor is its own.
        if (peer !== undefined) found.push({ peer, cut: () => void shutdown(descriptor, bothWays) })
      }
      return found
    },
  }
}

/** Linux has said it without a list since 6.2; where no more can be opened, not even a list can be made. */
function countFiles(): number | undefined {
  try {
    return statSync('/proc/self/fd', { throwIfNoEntry: false })?.size || readdirSync('/dev/fd').length
  } catch (error) {
    return errorCode(error) === 'EMFILE' ? Number.POSITIVE_INFINITY : undefined
  }
}

function load(name: string) {
  try {
    return dlopen(name, {
      getpeername: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
      getrlimit: { args: ['i32', 'ptr'], returns: 'i32' },
      getsockname: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
      shutdown: { args: ['i32', 'i32'], returns: 'i32' },
    })
  } catch {
    return undefined
  }
}

/** The C library of macOS, of most Linuxes, of Alpine. */
const libraries =
  process.platform === 'darwin'
    ? ['libSystem.B.dylib']
    : ['libc.so.6', `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`]

const bothWays = 2

/** Descriptors are given from the lowest on, and csp closes connections long before it has so many. */
const maxDescriptors = 16_384
