import { isObject } from '@csp/lib/json'

/**
 * Judgements of the claims in csp's prompt, where a schema asks for them: by their words, as a plain reader would. One whose
 * figures are on no passage is contradicted, one with half of its words is supported.
 */
export function judgeText(schema: unknown, prompt: string): string | undefined {
  const properties = isObject(schema) ? schema['properties'] : undefined
  if (!isObject(properties) || !isObject(properties['judgements'])) return undefined
  const claims = [
    ...prompt.matchAll(/<claim number="(\d+)">\n(.*)\n<\/claim>\n<passages claim="\1">\n([\s\S]*?)\n<\/passages>/g),
  ]
  const judgements = claims.map(([, number, claim = '', passages = '']) => {
    const lines = passages.split('\n').map((line) => line.replace(/^\[\d+\] /, ''))
    const said = new Set(lines.flatMap(wordsOf))
    const words = wordsOf(claim)
    const known = words.filter((word) => said.has(word)).length
    const isWrong = words.some((word) => /^\d/.test(word) && !said.has(word))
    const verdict = isWrong ? 'contradicted' : known >= words.length / 2 ? 'supported' : 'not-said'
    // The words that come nearest.
    const best = lines.toSorted((a, b) => sharedWith(b, words) - sharedWith(a, words))[0] ?? ''
    const quoted = best.split(/\s+/).slice(0, 30).join(' ')
    return { claim: Number(number), verdict, words: verdict === 'not-said' ? '' : quoted }
  })
  return JSON.stringify({ judgements })
}

/** Digits without the marks between thousands. */
const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/(?<=\d)[., ](?=\d{3}(?!\d))/g, '')
    .match(/[\p{L}\p{N}]+/gu) ?? []

function sharedWith(line: string, words: readonly string[]): number {
  const own = new Set(wordsOf(line))
  return words.filter((word) => own.has(word)).length
}
