import { isObject } from '@csp/lib/json'

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
