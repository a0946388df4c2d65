import type { MessagesRequest } from '@csp/messages-api/request'
import { lastUserTurn, questionOf, questionTurn, type UserTurn, userTurns } from '../messages-request.ts'
import type { ReplyContext } from './context.ts'
import { exampleValue } from './example-value.ts'
import { judgeText } from './judge-reply.ts'
import { inventedUrls } from './model-text.ts'
import { planText } from './plan-reply.ts'

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
