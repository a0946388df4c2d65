import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { choosePassages } from '@csp/passages/passages'
import { extract } from '../../src/extract/extract.ts'
import { smallPdf } from './small-pdf.ts'

/**
 * Pages of each kind, written for this test, that must not be read worse than they are. What a reader comes for is marked
 * with KEEP and a number, what stands around it with NOISE.
 */
const pages: readonly Kept[] = [
  {
    name: 'article',
    // 23:40 in UTC is of the next day where the page was written, and the page shows it.
    publishedAt: '2026-03-05',
    answers: [
      ['what did the harbour board decide after the lamp failed', 'harbour board decided it'],
      ['how much are the keepers paid', '31,000 pounds'],
    ],
  },
  {
    name: 'docs',
    has: [
      "```ts\nconst client = open({\n  attempts: 5,\n\n  backoff: 'exponential',\n})\n```",
      '| Status | Wait |\n| --- | --- |\n| 429 | what the reply says |',
      '## What is repeated',
      '- A stream is never repeated',
      '[Limits](https://kept.example/limits)',
    ],
    answers: [
      ['default number of attempts', 'The default is three'],
      ['is a POST repeated', 'only with an idempotency key'],
    ],
  },
  {
    name: 'forum',
    publishedAt: '2025-11-02',
    answers: [['how much water instead of 80 percent', '340 g']],
  },
  {
    name: 'shop',
    has: ['245 mm'],
    answers: [
      ['weight in kg', '1.7 kg'],
      ['delivery within how many days', 'two working days'],
    ],
  },
  { name: 'list', answers: [['height of Icefall bivouac', '2,760 m']] },
  {
    name: 'recipe',
    publishedAt: '2024-10-12',
    has: ['- 1 säuerlicher Apfel'],
    answers: [['Wie lange muss die Suppe köcheln', 'zwanzig Minuten']],
  },
  {
    name: 'japanese',
    publishedAt: '2026-02-14',
    answers: [
      ['朝市は何時に始まりますか', '午前五時'],
      ['駅から歩いて何分', '十二分'],
    ],
  },
  {
    name: 'arabic',
    publishedAt: '2026-01-12',
    answers: [
      ['متى تفتح المكتبة للزوار', 'من التاسعة صباحا'],
      ['كم كتابا في المكتبة', 'أربعون ألف كتاب'],
    ],
  },
  // The pages of sites that agents open most, which need no form of their own.
  {
    name: 'wikipedia',
    has: ['| First lit | KEEP-2 July 1823 |', '## History\n\nKEEP-4'],
    answers: [
      ['when was the first Fresnel lamp lit', 'July 1823'],
      ['why were the lamps taken down', 'mercury'],
    ],
  },
  {
    name: 'arxiv',
    publishedAt: '2026-03-02',
    has: ['| DOI: | <https://doi.org/10.48550/arXiv.2603.01234> |'],
    answers: [['how long does air take to dry a sensor', 'eleven minutes']],
  },
  {
    name: 'pypi',
    publishedAt: '2026-01-05',
    has: ['import foglamp\nlamp = foglamp.open(port=4)'],
    answers: [['which Python version is needed', '3.10']],
  },
  {
    name: 'repository',
    has: [
      'import foglamp\nlamp = foglamp.open(port=4)',
      '[the fan](https://kept.example/lamps/foglamp/blob/main/docs/fan.md)',
    ],
    answers: [['how often is the sensor read', 'ten times a second']],
  },
  {
    name: 'cookies',
    answers: [
      ['how long are boats at the new lock', '85 metres'],
      ['cost of the building', '214 million'],
    ],
  },
]

interface Kept {
  readonly name: string
  readonly publishedAt?: string
  /** Parts of its Markdown. */
  readonly has?: readonly string[]
  /** Questions, and what the first passage says to each. */
  readonly answers: readonly (readonly [question: string, words: string])[]
}

async function read(name: string, isRough: boolean) {
  const body = new Uint8Array(readFileSync(new URL(`kept/${name}.html`, import.meta.url)))
  const url = `https://kept.example/${name}`
  return extract({ body, contentType: 'text/html', url, mainContentOnly: true, isRough })
}

const marks = (text: string, mark: RegExp): number => new Set(text.match(mark)).size

describe.each(pages)('the $name', ({ name, publishedAt, has = [], answers }) => {
  const html = readFileSync(new URL(`kept/${name}.html`, import.meta.url), 'utf8')

  test.each([false, true])('is read without what stands around it (roughly: %p)', async (isRough) => {
    const page = await read(name, isRough)
    const { markdown } = page.contents
    expect(marks(markdown, /KEEP-\d/g)).toBe(marks(html, /KEEP-\d/g))
    expect(markdown).not.toContain('NOISE')
    expect(page.publishedAt).toBe(publishedAt)
    for (const part of has) if (!isRough || !/\]\(|^```|^\|/.test(part)) expect(markdown).toContain(part)
  })

  test.each(answers)('answers %p in the first passage', async (question, words) => {
    for (const isRough of [false, true]) {
      const { contents } = await read(name, isRough)
      expect(choosePassages(contents.markdown, question)[0]).toContain(words)
    }
  })
})

test('a PDF answers in the first passage', async () => {
  const body = new Uint8Array(smallPdf('The ferry to Norrey leaves at 6.40 in the morning and needs two hours.'))
  const { contents } = await extract({
    body,
    contentType: 'application/pdf',
    url: 'https://kept.example/f',
    mainContentOnly: true,
  })
  expect(choosePassages(contents.markdown, 'when does the ferry leave')[0]).toContain('6.40')
})
