import { z } from 'zod'
import { queryLimits } from '../../../executor/backends/brave/facts.ts'
import type { Dialect, DialectReference } from '../../dialect.ts'
import { booleanField, integerField, listField, nameField, optional } from '../../fields/field.ts'
import { queryField } from '../../fields/query.ts'
import { braveRateLimit } from './error.ts'
import { braveCountryField, braveLanguageField, bravePageFields, braveQueryField, braveSearchFields } from './search.ts'

/**
 * A search of Brave's that is not supported here: the request is checked, and the reply has the right shape without
 * results. It costs no search.
 */
function empty<Input extends { readonly q?: string | undefined }>(
  type: string,
  schema: z.ZodType<Input>,
  example: DialectReference['example'],
  more: Readonly<Record<string, unknown>> = {},
): Dialect<Input> {
  return {
    kind: 'search',
    schema,
    reference: { summary: 'Checked, and always empty: there is no such search here', example },
    parse: () => [],
    format: (_answer, { input }) => ({
      type,
      query: input.q === undefined ? undefined : { original: input.q },
      results: [],
      ...more,
    }),
    headers: braveRateLimit(),
  }
}

/** The vendor's own MCP server reads this without a check. */
const harmless = { extra: { might_be_offensive: false } }

/** The user is still typing, so one character is enough. */
const typedFields = {
  q: queryField(queryLimits),
  country: optional(braveCountryField),
  lang: optional(braveLanguageField),
}

const placeIds = z.object({ ids: listField(z.string(), 20), q: optional(z.string()) })

const videos = z.object({ ...braveSearchFields, ...bravePageFields, count: optional(integerField(1, 50)) })

/** `/res/v1/videos/search`, by GET or POST. */
export const braveVideos = empty('videos', videos, { q: 'heat pumps' }, harmless)

/** `/res/v1/images/search`. */
export const braveImages = empty(
  'images',
  z.object({
    q: braveQueryField,
    country: optional(braveCountryField),
    search_lang: optional(braveLanguageField),
    spellcheck: optional(booleanField),
    count: optional(integerField(1, 200)),
    safesearch: optional(nameField(['off', 'strict'])),
  }),
  { q: 'heat pumps' },
  harmless,
)

/** `/res/v1/suggest/search`. */
export const braveSuggest = empty(
  'suggest',
  z.object({ ...typedFields, count: optional(integerField(1, 20)), rich: optional(booleanField) }),
  { q: 'heat pu' },
)

/** `/res/v1/spellcheck/search`. */
export const braveSpellcheck = empty('spellcheck', z.object(typedFields), { q: 'heet pumps' })

/** `/res/v1/local/place_search`. */
export const bravePlaces = empty(
  'locations',
  z.object({ q: optional(braveQueryField), count: optional(integerField(1, 50)) }),
  { q: 'heat pump fitters' },
)

/** `/res/v1/local/pois`. No search here returns place ids, so every id is unknown. */
export const bravePois = empty('local_pois', placeIds, { ids: 'a,b' })

/** `/res/v1/local/descriptions`. */
export const braveDescriptions = empty('local_descriptions', placeIds, { ids: 'a,b' })
