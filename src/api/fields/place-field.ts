import { Rejection, textField } from './field.ts'

/** An ISO 3166-1 alpha-2 country in any case; read as upper case. */
export const countryField = textField((text) =>
  /^[a-z]{2}$/i.test(text.trim())
    ? text.trim().toUpperCase()
    : new Rejection('value_error', 'Input should be a country code of two letters'),
)

/** A language such as `en` or `pt-br`; read as lower case. */
export const languageField = textField((text) =>
  /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(text.trim())
    ? text.trim().toLowerCase()
    : new Rejection('value_error', 'Input should be a language code such as en or pt-br'),
)

/** A host name, also when a whole URL was given; read as lower case, international names as they go over the wire. */
export const domainField = textField(readDomain)

/** The host name in a text that may be a URL, or what is wrong with it. */
export function readDomain(text: string): string | Rejection {
  const bare = text
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/^\*?\./, '')
  const hostname = URL.parse(`http://${bare}`)?.hostname ?? ''
  return /^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?)*$/.test(hostname)
    ? hostname
    : new Rejection('value_error', 'Input should be a domain name such as example.com')
}
