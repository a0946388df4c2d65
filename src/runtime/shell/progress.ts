import type { Environment, Stream } from './shell.ts'
import { fit, isDumb } from './terminal.ts'

/** One line on a terminal that says what is done, and for how long. */
export interface Progress {
  /** Shows another phase, until `end`. */
  show(phase: string): void
  /** Writes above the line. */
  write(text: string): void
  /** Takes the line away for good. Idempotent. */
  end(): void
}

/** Shows nothing where the stream is no terminal, a dumb one, or quiet is asked for. */
export function createProgress(stream: Stream, environment: Environment, isQuiet = false): Progress {
  if (!stream.isTerminal || isDumb(environment) || isQuiet) {
    return { show() {}, write: (text) => stream.write(text), end() {} }
  }
  const startedAt = performance.now()
  let phase = ''
  let timer: ReturnType<typeof setInterval> | undefined
  let isEnded = false
  const draw = () => {
    const seconds = Math.floor((performance.now() - startedAt) / 1000)
    // In the last column some terminals would begin a new line.
    stream.write(`\r${fit(`${phase} ${seconds} s`, stream.columns - 1)}\x1b[K`)
  }
  const clear = () => stream.write('\r\x1b[2K')
  return {
    show(next) {
      if (isEnded) return
      phase = next
      timer ??= setInterval(draw, 1000)
      draw()
    },
    write(text) {
      if (timer) clear()
      stream.write(text)
      if (timer) draw()
    },
    end() {
      isEnded = true
      if (!timer) return
      clearInterval(timer)
      timer = undefined
      clear()
    },
  }
}
