import { z } from 'zod'
import type { SearchFilters } from '../../../domain/search.ts'
import { given, nameField } from '../../fields/field.ts'
import { isAnyTime, timeField } from '../../fields/google-time.ts'
import { countryField, countryNameField, languageField } from '../../fields/places.ts'
import { readSiteOperators } from '../../fields/site-operators.ts'

/** The parameters of Google's results page, which its resellers pass on. */
export const googleFields = {
  gl: given(countryField),
  hl: given(languageField),
  location: given(z.string()),
  tbs: given(timeField),
  safe: given(nameField(['active', 'off'])),
}

type GoogleInput = z.output<z.ZodObject<typeof googleFields>> & { readonly q: string }

export function readGoogleFilters({ q, gl, hl, location, tbs, safe }: GoogleInput): SearchFilters {
  return {
    ...tbs,
    ...readSiteOperators(q).sites,
    country: gl ?? countryOf(location),
    language: hl,
    safeSearch: safe && (safe === 'active' ? 'strict' : 'off'),
  }
}

/** Only the country of a place acts, and only where `gl` names none. */
export function ignoredGoogleFields({ gl, location, tbs }: GoogleInput): readonly string[] {
  const isRead = gl === undefined && !location?.includes(',') && countryOf(location) !== undefined
  return [...(location && !isRead ? ['location'] : []), ...(tbs && isAnyTime(tbs) ? ['tbs'] : [])]
}

/** The country of a place: `US` for `Austin, Texas, United States`. */
function countryOf(location = ''): string | undefined {
  return countryNameField.safeParse(location.split(',').at(-1)).data
}
