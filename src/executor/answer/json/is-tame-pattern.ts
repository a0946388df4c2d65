/**
 * Whether a regular expression surely ends soon on any text. It says no rather than yes: a group that repeats, a look
 * around or back, and more repetitions than two (one, where the beginning is open) can take time beyond all bounds.
 */
export function isTamePattern(source: string): boolean {
  const plain = source.replace(/\\[^k\d]/g, 'x').replace(/\[(?:\\.|[^\]\\])*\]/g, 'x')
  if (/\\[k\d]|\(\?<?[=!]|\)(?:[*+]|\{)/.test(plain)) return false
  const repetitions = plain.match(/[*+]|\{\d+,\d*\}/g)?.length ?? 0
  return repetitions <= (plain.startsWith('^') && !plain.includes('|') ? 2 : 1)
}
