import { parseJson } from '@csp/lib/json'
import { researchRequest } from '../../../domain/research.ts'
import type { ResearchEffort } from '../../../domain/research-step.ts'
import type { AnswerRequest } from '../../../domain/search.ts'
import { queryField } from '../../fields/query.ts'

/** The question of a research, which may have instructions on several lines. */
export const researchQuestion = queryField({ maxCharacters: 15_000, keepLines: true })

/** A question that is researched in the background. With a schema it is one answer that searches as often as it needs. */
export function researchJob(
  query: string,
  effort: ResearchEffort,
  more: Pick<Partial<AnswerRequest>, 'schema' | 'filters'>,
): AnswerRequest {
  const { research, ...answer } = researchRequest(query, effort)
  return { ...answer, ...(more.schema === undefined && { research }), ...more }
}

/** The text of a reply that was held to a schema, as JSON. */
export function jsonText(text: string): unknown {
  return parseJson(text) ?? text
}
