import { countVerdicts } from '@csp/evidence/evidence'
import { z } from 'zod'
import type { Asker, PageDialect } from '../../dialect.ts'
import { invalid } from '../../exchange/refusal.ts'
import { given, optional } from '../../fields/field.ts'
import { lenient } from '../../fields/lenient.ts'
import { type Claim, maxClaimCharacters, pagesOfClaims, verifyClaims } from '../../serve/verify.ts'

const maxClaims = 50
const maxSources = 20
const maxPages = 20

const claimText = z.string().trim().min(1).max(maxClaimCharacters)
const sourceText = z.string().max(1_000_000)

const source = z
  .object({ url: given(z.string()), text: given(sourceText), title: given(z.string().max(500)) })
  .refine(({ url, text }) => url !== undefined || text !== undefined, 'Give a url or a text')
const sources = z.array(source).min(1).max(maxSources)

const schema = lenient(
  z.object({
    claim: optional(claimText),
    claims: optional(
      z
        .array(z.object({ text: claimText, sources: optional(sources) }))
        .min(1)
        .max(maxClaims),
    ),
    sources: optional(sources),
    judge: optional(z.boolean()),
  }),
  ['claim'],
)

export type NativeVerifyInput = z.output<typeof schema>

/** Whether pages have what is claimed of them, by their words: no search, and no model that is not asked for. */
export const nativeVerify = {
  kind: 'page',
  schema,
  reference: {
    summary: 'Compare up to 50 claims with pages or texts: found, partly, not-found or not-read, each with its passage',
    example: {
      claim: 'A heat pump still draws heat from air of −20 °C.',
      sources: [{ url: 'https://example.com/heat-pumps' }],
    },
  },
  parse: (input) => {
    const requests = pagesOfClaims(claimsOf(input))
    if (requests.length <= maxPages) return { requests }
    const message = `At most ${maxPages} different addresses can be read for one request`
    throw invalid({ path: [input.claims ? 'claims' : 'sources'], type: 'too_long', message })
  },
  async format(outcomes, { input }, asker?: Asker) {
    const judge = input.judge ? asker?.judge : undefined
    const results = await verifyClaims(claimsOf(input), outcomes, asker && { ...asker, judge })
    return { results, verdicts: countVerdicts(results) }
  },
} satisfies PageDialect<NativeVerifyInput>

/** Claims without sources of their own are compared with those of the request. */
function claimsOf({ claim, claims, sources: shared }: NativeVerifyInput): readonly Claim[] {
  if ((claim === undefined) === (claims === undefined)) {
    throw invalid({ path: ['claim'], type: 'missing', message: 'Give either claim or claims' })
  }
  const all = claims ?? [{ text: claim ?? '', sources: undefined }]
  return all.map(({ text, sources: own = shared }, place) => {
    if (own) return { text, sources: own }
    const path = claims ? ['claims', place, 'sources'] : ['sources']
    throw invalid({ path, type: 'missing', message: 'Field required' })
  })
}
