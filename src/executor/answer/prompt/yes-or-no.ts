import { oneLine } from '@csp/lib/text'
import type { JudgedClaim } from '../../../domain/search.ts'

/** A model that says of one document and one claim whether the one supports the other, in a word. */
interface YesOrNoModel {
  readonly name: RegExp
  /** Both are one line: none of either can begin a part of the prompt. */
  readonly prompt: (document: string, claim: string) => string
}

/** The next model is a line. */
const models: readonly YesOrNoModel[] = [
  {
    name: /(?:^|\/)bespoke-minicheck(?![\w.])/i,
    prompt: (document, claim) => `Document: ${document}\nClaim: ${claim}`,
  },
]

/** How a model that says yes or no is asked about a claim. `undefined` for any other. */
export function yesOrNoPrompt(model: string): ((claim: JudgedClaim) => string) | undefined {
  const known = models.find(({ name }) => name.test(model))
  if (!known) return undefined
  return ({ sentence, passages }) =>
    known.prompt(oneLine(passages.map(({ text }) => text).join(' ')), oneLine(sentence))
}

/** Whether its reply says yes; `undefined` if it says neither. */
export function saysYes(reply: string): boolean | undefined {
  const [, yes, no] = /^\W{0,20}(?:(yes)|(no))\b/i.exec(reply) ?? []
  return yes ? true : no ? false : undefined
}
