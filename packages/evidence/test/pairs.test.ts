import { describe, expect, test } from 'bun:test'
import { checkClaims } from '../src/check.ts'
import { pairs } from './pairs.ts'

function said(text: string, page: string) {
  const [evidence] = checkClaims([{ text, sources: [1] }], () => ({ text: page }))
  return { missing: evidence?.missing, verdict: evidence?.verdict ?? 'none' }
}

describe.each(Object.entries(pairs))('in %s', (_, { right, wrong }) => {
  test.each(right)('nothing is amiss with: %s', (sentence, page) => {
    const { missing, verdict } = said(sentence, page)
    expect(missing).toBeUndefined()
    expect(['found', 'partly']).toContain(verdict)
  })

  test.each(wrong)('does not pass for found: %s', (sentence, page) => {
    expect(['partly', 'not-found']).toContain(said(sentence, page).verdict)
  })
})
