import { messagesRequest } from '@csp/messages-api/request'
import { SearchError } from '../../../domain/error.ts'
import type { JudgedClaim, SearchEvents } from '../../../domain/search.ts'
import { done } from '../../answer/events.ts'
import { saysYes, type yesOrNoPrompt } from '../../answer/prompt/yes-or-no.ts'
import type { Executor } from '../../executor.ts'
import { apiBackend } from '../http/api-backend.ts'
import { MessageTurn } from '../messages/turn.ts'
import { explainUpstream, type GatewayModelOptions } from './gateway-model.ts'

/**
 * Judges claims with a model that says yes or no: a call for each, one after the other. What it has said by the end of its
 * time counts, in the JSON that other judges write, without words of a page.
 */
export function yesOrNoModel(
  { name, payee, send }: GatewayModelOptions,
  promptOf: NonNullable<ReturnType<typeof yesOrNoPrompt>>,
): Executor {
  const bodyOf = (claim: JudgedClaim) =>
    messagesRequest.parse({
      ...{ model: name, max_tokens: maxTokens, temperature: 0, stream: true },
      messages: [{ role: 'user', content: promptOf(claim) }],
    })
  return apiBackend({
    name,
    now: () => new Date(),
    supports: ({ claims }) => claims !== undefined,
    async *search({ claims = [] }, signal, trace, caller): SearchEvents {
      yield { type: 'backend', name: payee }
      const limit = AbortSignal.timeout(maxMs)
      const live = AbortSignal.any([signal, limit])
      const judgements: object[] = []
      let [inputTokens, outputTokens, asked] = [0, 0, 0]
      for (const claim of claims) {
        const body = bodyOf(claim)
        const turn = new MessageTurn()
        let said = ''
        trace?.modelCalled()
        try {
          const note = (message: string, error?: unknown) => trace?.note(message, error)
          for await (const event of send(body, { signal: live, caller, note }))
            for (const one of turn.read(event)) if (one.type === 'text-delta') said += one.text
        } catch (error) {
          if (asked === 0 && limit.aborted) throw new SearchError('timeout', `The model ${name} took too long.`)
          if (asked === 0 || signal.aborted) throw explainUpstream(error, name, body)
          trace?.note('The judge failed, so what it has said counts', error)
          break
        }
        inputTokens += turn.inputTokens
        outputTokens += turn.outputTokens
        const isYes = saysYes(said)
        if (isYes !== undefined) judgements.push({ claim: asked + 1, verdict: isYes ? 'supported' : 'not-said' })
        asked++
      }
      yield { type: 'text-delta', text: JSON.stringify({ judgements }) }
      yield done({ searches: 0, model: name, result: { inputTokens, outputTokens, stopReason: undefined } })
    },
  })
}

/** For one word. */
const maxTokens = 16
/** A little less than a judge has in all. */
const maxMs = 7000
