import { plainLine } from './text.ts'

/**
 * What broke and where, on one line. Without the error's message: nobody knows what it quotes of a request, and crash
 * reports are sent around.
 */
export function crashReport(error: unknown): string {
  if (!(error instanceof Error)) return `${typeof error} was thrown`
  const code = 'code' in error && typeof error.code === 'string' ? ` ${error.code}` : ''
  // A message may have lines that look like a place; a place of ours has a position at its end.
  const places = (error.stack ?? '').split('\n').slice(error.message.split('\n').length)
  const frames = places.map((line) => line.trim()).filter((line) => /^at .*:\d+\)?$/.test(line))
  return plainLine(`${error.name}${code} ${frames.slice(0, longest).join(' ')}`)
}

const longest = 10
