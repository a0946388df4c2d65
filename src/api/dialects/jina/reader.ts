import { guardedText } from '@csp/grounding/answer-guard'
import { oneLine } from '@csp/lib/text'
import { percentDecoded } from '@csp/lib/url'
import type { Page, PageFormat } from '@csp/page-reader/page'
import { z } from 'zod'
import { pageDialect, TextReply } from '../../dialect.ts'
import { booleanField, numberField, optional, Rejection, textField } from '../../fields/field.ts'

/** What of a page the reply has. `content`, the default, is Markdown below a head. */
const kinds = new Map<string, PageFormat>([
  ['content', 'markdown'],
  ['markdown', 'markdown'],
  ['text', 'text'],
  ['html', 'html'],
])

const kindField = textField(
  (text) => {
    const name = text.trim().toLowerCase()
    const format = kinds.get(name)
    return format ? { name, format } : new Rejection('enum', `Input should be ${[...kinds.keys()].join(', ')}`)
  },
  [...kinds.keys()].join(', '),
)

const schema = z.object({
  url: z.string(),
  'x-respond-with': optional(kindField),
  'x-return-format': optional(kindField),
  'x-timeout': optional(numberField(1, 180)),
  'x-no-cache': optional(booleanField),
  'x-locale': optional(z.string()),
  accept: optional(z.string()),
})

type JinaReaderInput = z.output<typeof schema>

/** Jina's reader: an address behind `/r/`, or as `url` of a body, with its options in the headers. */
export const jinaReader = pageDialect({
  schema,
  reference: {
    summary: 'Read one page as text; as JSON with `Accept: application/json`',
    example: { url: 'https://example.com/heat-pumps' },
  },
  read({ url, headers }, body) {
    const names = [...headers.keys()].filter((name) => name in schema.shape || unused.test(name))
    const options = Object.fromEntries(names.map((name) => [name, headers.get(name)]))
    const address = addressIn(url)
    const named = typeof body === 'object' && body !== null && 'url' in body ? body.url : undefined
    return { ...options, url: address ?? named }
  },
  parse(input) {
    const { url, 'x-timeout': timeout, 'x-no-cache': isFresh, 'x-locale': language } = input
    const { format } = kindOf(input)
    return { requests: [{ url, format, language }], timeoutMs: timeout && timeout * 1000, isFresh }
  },
  format([outcome], { input }) {
    if (!outcome || outcome.error) throw outcome?.error
    const { page } = outcome
    const { name } = kindOf(input)
    const accept = input.accept ?? ''
    if (/\bapplication\/json\b/i.test(accept)) return { code: 200, status: 20_000, data: formatPage(page, name) }
    const type = /\btext\/markdown\b/i.test(accept) && page.format === 'markdown' ? 'text/markdown' : 'text/plain'
    return new TextReply(type, name === 'content' ? withHead(page) : page.content)
  },
})

/** Options that other readers have. */
const unused = /^x-(target|remove|wait-for)-selector$|^x-(with|keep|retain|token|engine|proxy|set-cookie|md)\b/

/** The address behind `/r/`, with its own query; a proxy may have joined its slashes. */
function addressIn(url: string): string | undefined {
  const { pathname, search } = new URL(url)
  const [, rest] = /^\/*(?:v1\/+)?r\/+(.+)$/.exec(pathname) ?? []
  if (rest === undefined) return undefined
  const plain = /^https?:\//i.test(rest) ? rest : percentDecoded(rest)
  const whole = `${plain.replace(/^(https?):\/+/i, '$1://')}${search}`
  return /^[a-z][a-z\d+.-]*:(?!\d)/i.test(whole) ? whole : `https://${whole}`
}

function kindOf(input: JinaReaderInput) {
  return input['x-respond-with'] ?? input['x-return-format'] ?? { name: 'content', format: 'markdown' as const }
}

function formatPage(page: Page, name: string): unknown {
  const { url, title = '', description = '', publishedAt, language, content } = page
  const text = name === 'text' || name === 'html' ? { [name]: content } : { content }
  return { title, description, url, publishedTime: publishedAt, metadata: { lang: language }, ...text }
}

function withHead({ url, title = '', publishedAt, content }: Page): string {
  const date = publishedAt ? `Published Time: ${publishedAt}\n\n` : ''
  return `Title: ${guardedText(oneLine(title))}\n\nURL Source: ${url}\n\n${date}Markdown Content:\n${content}\n`
}
