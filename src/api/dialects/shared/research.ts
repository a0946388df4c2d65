import { guardedText } from '@csp/grounding/answer-guard'
import { parseJson } from '@csp/lib/json'
import { oneLine } from '@csp/lib/text'
import { z } from 'zod'
import type { ModelChoice } from '../../../domain/model.ts'
import { researchRequest } from '../../../domain/research.ts'
import type { ResearchEffort, ResearchStep } from '../../../domain/research-step.ts'
import type { AnswerRequest } from '../../../domain/search.ts'
import { optional } from '../../fields/field.ts'
import { queryField } from '../../fields/query.ts'

/** How much a model is to think. Only a research goes by it: by low, medium and high. */
export const effortField = optional(z.string())

/** The choice with the effort that a request asks for its research. */
export function withEffort(choice: ModelChoice, effort: string | undefined): ModelChoice {
  const isKnown = effort === 'low' || effort === 'medium' || effort === 'high'
  return choice.research && isKnown ? { ...choice, research: effort } : choice
}

/** Whether the name of a model is that of a research, as far as the name alone says it. */
export function isResearchName(model = ''): boolean {
  return model.includes('deep-research')
}

/**
 * A step in words, for vendors that show what their model thinks; `undefined` for one that they show otherwise. The model
 * has read pages by then, so its questions leave as its answer does.
 */
export function thoughtOf(step: ResearchStep): string | undefined {
  if (step.kind === 'outline')
    return guardedText(`Searching for:\n${step.questions.map((question) => `- ${oneLine(question)}`).join('\n')}`)
  return step.kind === 'note' ? guardedText(step.text) : undefined
}

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
