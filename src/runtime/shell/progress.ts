import type { Stream } from './shell.ts'

/** Shows on a terminal that something is under way, and for how long. Elsewhere it shows nothing. Returns how to end it. */
export function progress(stream: Stream, text: string): () => void {
  if (!stream.isTerminal) return () => {}
  const startedAt = performance.now()
  const draw = () => stream.write(`\r${text} ${Math.floor((performance.now() - startedAt) / 1000)} s`)
  draw()
  const timer = setInterval(draw, 1000)
  let isShown = true
  return () => {
    clearInterval(timer)
    if (isShown) stream.write('\r\x1b[2K')
    isShown = false
  }
}
