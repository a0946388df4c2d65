import { z } from 'zod'
import type { ModelChoice } from '../../../domain/model.ts'
import type { ResearchStep } from '../../../domain/research-step.ts'
import { optional } from '../../fields/field.ts'

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

/** A step in words, for vendors that show what their model thinks; `undefined` for one that they show otherwise. */
export function thoughtOf(step: ResearchStep): string | undefined {
  if (step.kind === 'outline') return `Searching for:\n${step.questions.map((question) => `- ${question}`).join('\n')}`
  return step.kind === 'note' ? step.text : undefined
}
