import { describe, expect, test } from 'bun:test'
import type { z } from 'zod'
import { readLocale } from '../../../src/api/fields/locale.ts'
import {
  countryField,
  countryNameField,
  domainField,
  domainListField,
  languageField,
} from '../../../src/api/fields/places.ts'

describe('a locale', () => {
  test.each([
    ['en-US', 'US', 'en'],
    ['en-GB', 'GB', 'en'],
    ['ja-JP', 'JP', 'ja'],
    ['zh-CN', 'CN', 'zh'],
    ['da-DK', 'DK', 'da'],
    ['pt-BR', 'BR', 'pt'],
    ['pt-br', 'BR', 'pt'],
    ['sv-se', 'SE', 'sv'],
    ['es-ar', 'AR', 'es'],
    ['et-ee', 'EE', 'et'],
    ['uk-ua', 'UA', 'uk'],
    ['ca-ES', 'ES', 'ca'],
    [' en_US ', 'US', 'en'],
    ['Qqq-US', 'US', 'qqq'],
    ['en_US.UTF-8', 'US', 'en'],
    ['de_DE@euro', 'DE', 'de'],
    ['EN-US', 'US', 'en'],
    ['EN-us', 'US', 'en'],
    ['zh-Hans-CN', 'CN', 'zh-hans'],
    ['sr_Latn_RS', 'RS', 'sr-latn'],
    ['zh-hant', undefined, 'zh-hant'],
    ['es-419', undefined, 'es-419'],
    ['en-GB-oxendict', 'GB', 'en'],
    // DuckDuckGo's own order.
    ['us-en', 'US', 'en'],
    ['uk-en', 'GB', 'en'],
    ['br-pt', 'BR', 'pt'],
    ['ar-es', 'AR', 'es'],
    ['se-sv', 'SE', 'sv'],
    ['ee-et', 'EE', 'et'],
    ['ua-uk', 'UA', 'uk'],
    ['ch-de', 'CH', 'de'],
    ['be-fr', 'BE', 'fr'],
    ['ca-fr', 'CA', 'fr'],
    ['my-ms', 'MY', 'ms'],
    ['jp-jp', 'JP', 'ja'],
    ['kr-kr', 'KR', 'ko'],
    ['tw-tzh', 'TW', 'zh-hant'],
    ['DE-de', 'DE', 'de'],
    ['de-de', 'DE', 'de'],
    ['wt-wt', undefined, undefined],
    ['xa-ar', undefined, 'ar'],
    ['XA-ar', undefined, 'ar'],
    // One word.
    ['DE', 'DE', undefined],
    ['uk', 'GB', undefined],
    ['en', undefined, 'en'],
    ['ja', undefined, 'ja'],
  ])('%s as a region', (text, country, language) => {
    expect(readLocale(text, 'country')).toEqual({ ...(country && { country }), ...(language && { language }) })
  })

  test.each(['xx-yy', 'zz', 'us-gb', 'en-US!', '-', 'e', 'deutschland', 'a'.repeat(2000)])('%s is none', (text) => {
    expect(readLocale(text, 'country')).toBeUndefined()
  })
})

test.each([
  ['en-US', 'en-us'],
  ['en_US', 'en-us'],
  ['us-en', 'en-us'],
  ['PT-BR', 'pt-br'],
  ['ca-fr', 'ca-fr'],
  ['zh-hans-cn', 'zh-hans-cn'],
  ['uk', 'uk'],
  ['us', 'en'],
  ['jp', 'ja'],
  ['zxx', 'zxx'],
])('the language of %s is %s', (text, language) => {
  expect(languageField.parse(text)).toBe(language)
})

test.each([
  ['de', 'DE'],
  ['UK', 'GB'],
  ['en-US', 'US'],
  ['us-en', 'US'],
])('the country of %s is %s', (text, country) => {
  expect(countryField.parse(text)).toBe(country)
  expect(countryNameField.parse(text)).toBe(country)
})

test.each([
  ['Germany', 'DE'],
  ['united kingdom', 'GB'],
  ['USA', 'US'],
  [' Côte d’Ivoire ', 'CI'],
  ["cote d'ivoire", 'CI'],
  ['Bosnia and Herzegovina', 'BA'],
  ['Myanmar', 'MM'],
  ['Ivory Coast', 'CI'],
])('%s is %s where names are read', (text, country) => {
  expect(countryNameField.parse(text)).toBe(country)
})

test.each(['EN', 'XX', 'en', '', 'zz-en'])('%s is no country', (text) => {
  expect(countryField.safeParse(text).success).toBeFalse()
})

test.each(['Atlantis', 'Soviet Union', ''])('%j is no country where names are read', (text) => {
  expect(countryNameField.safeParse(text).success).toBeFalse()
})

test.each(['e', 'english', 'en-', 'xx-yy!'])('%s is no language', (text) => {
  expect(languageField.safeParse(text).success).toBeFalse()
})

test('a language that nobody has named is read in lower case', () => {
  expect(languageField.parse(' QQQ-1x ')).toBe('qqq-1x')
})

describe('a domain', () => {
  const read = (field: z.ZodType, value: unknown) => field.safeParse(value).data

  test.each([
    ['example.com', 'example.com'],
    [' HTTPS://Example.com:8080/path?x ', 'example.com'],
    ['*://*.example.com/*', 'example.com'],
    ['.example.com', 'example.com'],
    ['example.com.', 'example.com'],
    ['https://www.example.com./a', 'www.example.com'],
    ['a_b-c.example', 'a_b-c.example'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['localhost', 'localhost'],
    ['ftp://example.com/a', 'example.com'],
    ['a-.example', undefined],
    ['a..b', undefined],
    ['a b', undefined],
    ['[::1]', undefined],
    ['', undefined],
  ])('of %j is %p', (text, domain) => {
    expect(read(domainField, text)).toBe(domain)
  })

  test('stands in a list of a limited length, and an empty list is none', () => {
    const field = domainListField(2)
    for (const none of [[], null, undefined]) expect(field.parse(none)).toBeUndefined()
    expect(field.parse(['A.com', 'b.com'])).toEqual(['a.com', 'b.com'])
    expect(read(field, ['a.com', 'b.com', 'c.com'])).toBeUndefined()
  })
})
