import { z } from 'zod'
import type { OfferedModel } from '../../../../domain/claude-models.ts'
import type { Worker } from './worker.ts'

/** The models that the CLI offers by a short name: no model call. Nothing of a CLI that does not know the request. */
export async function offeredModels(worker: Worker, signal: AbortSignal): Promise<readonly OfferedModel[]> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(answerMs)])
  const answer = await worker.ask({ subtype: 'list_models' }, limited).catch(() => undefined)
  return listed.safeParse(answer).data?.models.flatMap((model) => model ?? []) ?? []
}

/** A CLI answers within some milliseconds. */
const answerMs = 5000

/** Other entries are choices of the CLI itself, such as `default`. */
const model = z
  .object({ value: z.string(), resolvedModel: z.string(), displayName: z.string().catch('') })
  .refine(({ value, resolvedModel }) => /^[a-z]{2,30}$/.test(value) && resolvedModel.split('-').includes(value))
  .transform(({ value: name, resolvedModel: fullName, displayName }) => ({
    name,
    fullName,
    title: displayName || name,
  }))

const listed = z.object({ models: z.array(model.optional().catch(undefined)) })
