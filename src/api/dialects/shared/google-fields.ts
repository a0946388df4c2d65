import { z } from 'zod'
import type { SearchFilters } from '../../../domain/search.ts'
import { given, nameField } from '../../fields/field.ts'
import { isAnyTime, timeField } from '../../fields/google-time.ts'
import { ignoredPlace, readPlace } from '../../fields/location.ts'
import { countryField, languageField } from '../../fields/places.ts'
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
    ...readPlace(location, gl),
    language: hl,
    safeSearch: safe && (safe === 'active' ? 'strict' : 'off'),
  }
}

/** The fields without effect. */
export function ignoredGoogleFields({ gl, location, tbs }: GoogleInput): readonly string[] {
  return [...ignoredPlace(location, gl), ...(tbs && isAnyTime(tbs) ? ['tbs'] : [])]
}
