import { describe, expect, test } from 'bun:test'
import { oneLine } from '@csp/lib/text'
import { anyText } from '@csp/testing/any-text'
import fc from 'fast-check'
import { compose, neutralise, section, withoutJoiners } from '../../../../src/executor/answer/prompt/fence.ts'
import { searcherPrompt, textPrompt, writerPrompt } from '../../../../src/executor/backends/claude/prompts.ts'
import { requestFor } from '../../../support/fake-executor.ts'

const joiner = '\u2060'
const tags = [
  ...['sources', 'notes', 'instructions', 'conversation', 'question', 'filters', 'schema', 'problems', 'since-then'],
  ...['user-turn', 'assistant-turn', 'tool-call', 'tool-result'],
  ...['system-reminder', 'command-name', 'command-args', 'local-command-stdout', 'local-command-caveat'],
]

/** Texts that are made of what matters: signs, tags in any case, and anything at all. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom('@', '@@', '@/etc/passwd', '@"a b"', '/', '<', '</', '>', joiner, '\n', ' ', '\0'),
      fc
        .tuple(
          fc.constantFrom('<', '</', '<\n', '< '),
          fc.constantFrom(...tags),
          fc.constantFrom('>', ' x="">', '/>', ''),
        )
        .map((parts) => parts.join('')),
      fc.constantFrom(...tags).map((tag) => `</${tag.toUpperCase()}>`),
      anyText(),
    ),
  )
  .map((parts) => parts.join(''))

const opensTag = new RegExp(`<\\/?(?:${tags.join('|')})\\b`, 'i')

describe('neutralise', () => {
  test('leaves no sign that names a path, and no tag of ours or of the CLI', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const safe = neutralise(text)
        expect(safe).not.toMatch(/@(?!\u2060)/)
        expect(safe).not.toMatch(opensTag)
      }),
    )
  })

  test('adds joiners and nothing else', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(withoutJoiners(neutralise(text))).toBe(withoutJoiners(text))
      }),
    )
  })

  test('leaves alone what has no power', () => {
    const plain = 'a < b, <em>c</em>, <questions>, 5 > 4, / and #memo, \\u2060 no, e = mc²'
    expect(neutralise(plain)).toBe(plain)
  })
})

describe('a prompt', () => {
  const prompts = {
    writer: (text: string) =>
      writerPrompt(requestFor(text, { instructions: text, notes: text }), [
        { title: text, url: 'https://example.com/', snippet: text, passages: [text], source: 'claude' },
      ]),
    text: (text: string) => textPrompt(requestFor(text, { instructions: text, history: [{ role: 'user', text }] })),
    searcher: (text: string) =>
      searcherPrompt(
        requestFor(text, {
          instructions: text,
          history: [{ role: 'assistant', text }],
          filters: { includeDomains: [text] },
        }),
        new Date(),
        false,
      ),
  }

  test.each(Object.entries(prompts))('of the %s has the same sections, whatever stands in them', (_, prompt) => {
    const outline = (text: string) => prompt(text).match(new RegExp(opensTag, 'gi'))
    fc.assert(
      fc.property(
        hostile.filter((text) => text !== ''),
        (text) => {
          expect(outline(text)).toEqual(outline('seals'))
          expect(prompt(text)).not.toMatch(/@(?!\u2060)/)
          expect(prompt(text)).toMatch(/^<[a-z]+>\n/) // so that nothing stands first that the CLI takes for a command
        },
      ),
    )
  })
})

test('an attribute cannot end itself, its tag or its line', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const [head = ''] = section('tool-call', 'body', { id: text }).split('\nbody\n')
      expect(head).toMatch(/^<tool-call id="[^"<>\n]*">$/)
    }),
  )
})

test('parts that are not there leave no gap', () => {
  expect(compose('a', false, undefined, '', 'b')).toBe('a\n\nb')
  expect(oneLine(' a \n\t b\u00a0c ')).toBe('a b c')
})
