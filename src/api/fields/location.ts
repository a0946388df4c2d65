import { cleanText } from '@csp/lib/text'
import { z } from 'zod'
import type { SearchFilters } from '../../domain/search.ts'
import { unknownFields } from '../http/unread.ts'
import { given, optional, Rejection, textField } from './field.ts'
import { countryField, countryNameField } from './places.ts'

/** As the Messages API has it. */
const maxPlaceLength = 255

const placeField = given(
  textField(
    (text) =>
      cleanText(text) === text
        ? text.trim()
        : new Rejection('value_error', 'Input should be the name of a place, without control characters'),
    'name of a place: Berlin',
    maxPlaceLength,
  ),
)

/** Where the user is, in the fields that the APIs of several vendors share. Clients send empty text for what is not set. */
export const locationFields = {
  type: optional(z.unknown()),
  country: given(countryField),
  city: placeField,
  region: placeField,
  // Not checked: clients send cities that are no zone, as Brave's own documentation does.
  timezone: given(textField((text) => text.trim(), 'IANA time zone: Europe/Berlin', maxPlaceLength)),
}

/** A location in a tool that searches. */
export const locationField = optional(z.looseObject(locationFields))

type Location = Partial<z.output<z.ZodObject<typeof locationFields>>>

/** The filters for a location. A time zone that nobody knows is left out. */
export function readLocation({
  country,
  city,
  region,
  timezone,
}: Location = {}): Pick<SearchFilters, 'country' | 'city' | 'region' | 'timezone'> {
  return { country, city, region, timezone: timeZone(timezone) }
}

/** The fields of a location that have no effect, each with the `place` of the object before it. */
export function ignoredLocation(location: Location = {}, place: string): readonly string[] {
  const { timezone } = location
  const unknown = unknownFields(location, Object.keys(locationFields), place)
  return timezone !== undefined && timeZone(timezone) === undefined ? [...unknown, `${place}timezone`] : unknown
}

/** The time zone of an IANA name in any case, if there is one. */
export function timeZone(name: string | undefined): string | undefined {
  // `Intl` takes offsets, too.
  if (name === undefined || !/^[a-z][\w+/-]{1,60}$/i.test(name)) return undefined
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

const lenientFields = z.object({
  country: locationFields.country.catch(undefined),
  city: locationFields.city.catch(undefined),
  region: locationFields.region.catch(undefined),
  timezone: locationFields.timezone.catch(undefined),
})

/** The filters for a location of which nothing is refused: what cannot be read is left out. */
export function readLenientLocation(sent: unknown): ReturnType<typeof readLocation> {
  return readLocation(lenientFields.safeParse(sent).data)
}

/**
 * The filters for a place as one text: `Austin, Texas, United States`. `country`: the one that is searched for, if it is
 * known; a place in another one has no effect.
 */
export function readPlace(place = '', country?: string): ReturnType<typeof readLocation> {
  const parts = place.split(',').map((part) => part.trim())
  const named = countryNameField.safeParse(parts.at(-1)).data
  if (country !== undefined && named !== undefined && named !== country) return { country }
  const [city, ...regions] = named === undefined ? parts : parts.slice(0, -1)
  return { ...readLenientLocation({ city, region: regions.join(', ') }), country: country ?? named }
}

/** The field of that text, `location` with every vendor, where it has no effect. */
export function ignoredPlace(place: string | undefined, country: string | undefined): readonly string[] {
  const read = readPlace(place, country)
  const acts = read.city !== undefined || read.region !== undefined || read.country !== country
  return place && !acts ? ['location'] : []
}
