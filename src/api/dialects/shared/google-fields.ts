import { z } from 'zod'
import type { SearchFilters } from '../../../domain/search.ts'
import { given, nameField } from '../../fields/field.ts'
import { isAnyTime, timeField } from '../../fields/google-time.ts'
import { readLenientLocation } from '../../fields/location.ts'
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
  const place = placeOf(location, gl)
  return {
    ...tbs,
    ...readSiteOperators(q).sites,
    ...place,
    country: gl ?? place.country,
    language: hl,
    safeSearch: safe && (safe === 'active' ? 'strict' : 'off'),
  }
}

/** A place in another country than `gl` has no effect. */
export function ignoredGoogleFields({ gl, location, tbs }: GoogleInput): readonly string[] {
  const isRead = Object.values(placeOf(location, gl)).some(Boolean)
  return [...(location && !isRead ? ['location'] : []), ...(tbs && isAnyTime(tbs) ? ['tbs'] : [])]
}

/** What a place such as `Austin, Texas, United States` names. `country`: the one that is searched for, if it is known. */
function placeOf(location = '', country?: string): ReturnType<typeof readLenientLocation> {
  const parts = location.split(',').map((part) => part.trim())
  const named = countryNameField.safeParse(parts.at(-1)).data
  if (country !== undefined && named !== undefined && named !== country) return {}
  const [city, ...regions] = named === undefined ? parts : parts.slice(0, -1)
  return readLenientLocation({ country: named, city, region: regions.join(', ') })
}
