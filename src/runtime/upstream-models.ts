import { z } from 'zod'
import { readLimited } from '../lib/bytes.ts'
import { parseJson } from '../lib/json.ts'
import type { UpstreamPlan } from './upstream-plans.ts'

/** The models that an upstream lists, of the shapes of OpenAI, Anthropic and Ollama; none where it does not tell. */
export async function listedModels({ url, key }: Pick<UpstreamPlan, 'url' | 'key'>): Promise<readonly string[]> {
  const place = new URL(url)
  place.pathname = `${place.pathname.replace(/\/+$/, '') || '/v1'}/models`
  try {
    const headers = { ...(key && { authorization: `Bearer ${key}`, 'x-api-key': key }) }
    const response = await fetch(place, { headers, redirect: 'manual', signal: AbortSignal.timeout(maxAskMs) })
    const text = await readLimited(response, maxReplyBytes)
    const list = response.ok && text !== undefined ? schema.safeParse(parseJson(text)).data : undefined
    return [...(list?.data ?? []).map(({ id }) => id), ...(list?.models ?? []).map(({ name }) => name)]
  } catch {
    return []
  }
}

const schema = z.looseObject({
  data: z.array(z.looseObject({ id: z.string() })).nullish(),
  models: z
    .array(z.looseObject({ name: z.string() }))
    .nullish()
    .catch(undefined),
})
const maxAskMs = 3000
const maxReplyBytes = 4_000_000
