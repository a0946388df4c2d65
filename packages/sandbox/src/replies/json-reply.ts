import { isObject } from '@csp/lib/json'
import type { MessagesRequest } from '@csp/messages-api/request'
import { lastUserTurn, questionOf, questionTurn, type UserTurn, userTurns } from '../messages-request.ts'
import type { ReplyContext } from './context.ts'
import { exampleValue } from './example-value.ts'
import { inventedUrls } from './model-text.ts'

/** JSON that matches the schema in csp's prompt. `undefined` without a schema and in the scenario `non-compliant`. */
export function jsonText(request: MessagesRequest, text: string, url: string | undefined, context: ReplyContext) {
  const schema = userTurns(request).flatMap(schemaIn).at(-1)
  if (schema === undefined || context.scenario === 'non-compliant') return undefined
  const { text: prompt } = lastUserTurn(request)
  const plan = planText(schema, prompt, questionOf(questionTurn(request).text)) ?? judgeText(schema, prompt)
  if (plan !== undefined) return plan
  const spoilt = context.scenario === 'invented-url' ? `${text} See ${inventedUrls[1]}` : text
  return JSON.stringify(exampleValue(schema, { text: spoilt, url }))
}

function schemaIn({ text: prompt }: UserTurn): readonly unknown[] {
  const text = /<schema>([\s\S]*?)<\/schema>/.exec(prompt)?.[1] ?? ''
  try {
    return [JSON.parse(text.replaceAll('\u2060', ''))]
  } catch {
    return []
  }
}

/** The searches of a research, where a schema asks for a list of them: each about one side, and none that the prompt names. */
export function planText(schema: unknown, prompt: string, question: string): string | undefined {
  const properties = isObject(schema) ? schema['properties'] : undefined
  const questions = isObject(properties) ? properties['questions'] : undefined
  if (!isObject(questions) || questions['uniqueItems'] !== true) return undefined
  const { maxItems } = questions
  const most = typeof maxItems === 'number' ? maxItems : 1
  const topic = question.split('\n')[0]?.slice(0, 120) ?? ''
  const searches = sides.map((side) => `${side}: ${topic}`).filter((search) => !prompt.includes(search))
  return JSON.stringify({ questions: searches.slice(0, most) })
}

const sides = [
  ...['Overview', 'Measurements', 'Costs', 'Criticism', 'Recent news', 'History', 'Alternatives', 'Regulation'],
  ...['Case studies', 'Outlook', 'Statistics', 'Open questions', 'Experts', 'Regions'],
]

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
