import { dlopen, FFIType, ptr } from 'bun:ffi'

/** Processor time of the calling thread, in ms: what other processes take meanwhile does not count. Linux only. */
function threadMs(): number {
  clock(threadClock, ptr(time))
  return Number(time[0]) * 1e3 + Number(time[1]) / 1e6
}

const threadClock = 3
const time = new BigInt64Array(2)
const clock: (clock: number, time: ReturnType<typeof ptr>) => number =
  process.platform === 'linux'
    ? dlopen('libc.so.6', { clock_gettime: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 } }).symbols
        .clock_gettime
    : () => 0

export interface Slices {
  /** Processor time of the longest turn of the event loop, in ms. */
  readonly longest: number
  /** Of all turns that took more than a tenth of a millisecond, without what looking costs. */
  readonly total: number
}

/** For how long this thread's event loop was kept busy by single turns while some work ran. */
export async function slicesOf(work: () => Promise<unknown>): Promise<Slices> {
  const turns: number[] = []
  let isRunning = true
  let before = threadMs()
  const look = (): void => {
    const now = threadMs()
    turns.push(now - before)
    before = now
    if (isRunning) setImmediate(look)
  }
  setImmediate(look)
  try {
    await work()
  } finally {
    isRunning = false
  }
  await new Promise((resolve) => setImmediate(resolve))
  const busy = turns.filter((ms) => ms > 0.1)
  return { longest: turns.reduce((most, ms) => Math.max(most, ms), 0), total: busy.reduce((sum, ms) => sum + ms, 0) }
}
