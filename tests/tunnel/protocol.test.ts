import { describe, expect, test } from 'bun:test'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import {
  closeCodes,
  headerPairs,
  maxChunkBytes,
  maxControlLength,
  maxRequestBytes,
  packData,
  pingIntervalMs,
  protocolVersion,
  readToEdge,
  readToHome,
  unpackData,
  windowBytes,
} from '../../src/tunnel/protocol.ts'

const json = (frame: object) => JSON.stringify(frame)

test('two ends of one version agree on these numbers: who changes one of them makes a new version', () => {
  expect({ protocolVersion, closeCodes, pingIntervalMs, maxChunkBytes, maxControlLength }).toEqual({
    protocolVersion: 3,
    closeCodes: { protocol: 4400, silent: 4408, replaced: 4409 },
    pingIntervalMs: 15_000,
    maxChunkBytes: 65_536,
    maxControlLength: 65_536,
  })
  expect({ windowBytes, maxRequestBytes }).toEqual({ windowBytes: 262_144, maxRequestBytes: 4_194_304 })
})

describe('a frame', () => {
  test('of bytes is read as it was written, and is neither empty nor too large', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffff_ffff }), fc.uint8Array({ minLength: 1 }), (id, bytes) => {
        const read = unpackData(packData({ id, bytes }).buffer)
        expect({ id: read?.id, bytes: [...(read?.bytes ?? [])] }).toEqual({ id, bytes: [...bytes] })
      }),
      { numRuns: runs(100), examples: [[0, new Uint8Array(1)]] },
    )
    const sized = (size: number) => unpackData(packData({ id: 1, bytes: new Uint8Array(size) }).buffer)
    expect(sized(maxChunkBytes)?.bytes).toHaveLength(maxChunkBytes)
    for (const size of [0, maxChunkBytes + 1]) expect(sized(size)).toBeUndefined()
    expect(unpackData(new ArrayBuffer(3))).toBeUndefined()
  })

  test.each([
    [{ type: 'accept', id: 0 }, true],
    [{ type: 'accept', id: 0xffff_ffff }, true],
    [{ type: 'accept', id: 0x1_0000_0000 }, false],
    [{ type: 'accept', id: -1 }, false],
    [{ type: 'reply', id: 1, status: 200, headers: [] }, true],
    [{ type: 'reply', id: 1, status: 599, headers: [['a', 'b']] }, true],
    [{ type: 'reply', id: 1, status: 199, headers: [] }, false],
    [{ type: 'reply', id: 1, status: 600, headers: [] }, false],
    [{ type: 'reply', id: 1, status: 200, headers: [['A', 'b']] }, false],
    [{ type: 'reply', id: 1, status: 200, headers: Array(101).fill(['a', 'b']) }, false],
    [{ type: 'error', id: 1, message: 'x'.repeat(1000) }, true],
    [{ type: 'error', id: 1, message: 'x'.repeat(1001) }, false],
    [{ type: 'state', ready: false, problem: 'x'.repeat(300) }, true],
    [{ type: 'state', ready: false, problem: 'x'.repeat(301) }, false],
    [{ type: 'bye', code: 1, reason: '' }, false],
  ])('from a home is one or none: %.60j', (frame, isOne) => expect(readToEdge(json(frame)) !== undefined).toBe(isOne))

  test('from a home has a length, one from the edge does not: it holds a body', () => {
    const padded = (length: number) => json({ type: 'drain' }).padEnd(length)
    expect(readToEdge(padded(maxControlLength))).toEqual({ type: 'drain' })
    expect(readToEdge(padded(maxControlLength + 1))).toBeUndefined()
    const request = {
      type: 'request',
      id: 1,
      method: 'POST',
      path: '/',
      headers: [],
      body: 'x'.repeat(70_000),
      window: 1,
    }
    expect(readToHome(json(request))).toMatchObject({ type: 'request' })
  })
})

test('headers go along where they are allowed and fit, a hundred at most', () => {
  const given = new Headers(Array.from({ length: 150 }, (_, at): [string, string] => [`x-${at}`, 'v']))
  expect(headerPairs(given, () => true)).toHaveLength(100)
  expect(headerPairs(given, (name) => name === 'x-7')).toEqual([['x-7', 'v']])
  const odd = new Headers({
    'x-ok': 'x'.repeat(8192),
    'x-long': 'x'.repeat(8193),
    x_odd: 'v',
    [`x${'y'.repeat(100)}`]: 'v',
  })
  expect(headerPairs(odd, () => true).map(([name]) => name)).toEqual(['x-ok'])
})
