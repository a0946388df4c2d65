import { z } from 'zod'
import { booleanField, integerField, listField, nameField, optional, Rejection, textField } from './field.ts'
import { braveFreshness, freshnessField } from './freshness-field.ts'
import { queryField } from './query-field.ts'

const localeField = textField((text) =>
  /^[a-z]{2}-[a-z]{2}$/i.test(text)
    ? text
    : new Rejection('string_pattern_mismatch', 'Input should be a locale such as en-US'),
)

export type BraveWebInput = z.output<typeof braveWebInput>

/** The parameters of Brave's web search. Those that nothing here can serve are checked all the same, then ignored. */
export const braveWebInput = z.object({
  q: queryField({ maximumCharacters: 600, maximumWords: 75 }),
  country: optional(
    // biome-ignore format: a list of codes reads better in rows
    nameField([
      'AR', 'AU', 'AT', 'BE', 'BR', 'CA', 'CL', 'DK', 'FI', 'FR', 'DE', 'GR', 'HK', 'IN', 'ID', 'IT', 'JP', 'KR', 'MY',
      'MX', 'NL', 'NZ', 'NO', 'CN', 'PL', 'PT', 'PH', 'RU', 'SA', 'ZA', 'ES', 'SE', 'CH', 'TW', 'TR', 'GB', 'US', 'ALL',
    ]),
  ),
  search_lang: optional(
    // biome-ignore format: a list of codes reads better in rows
    nameField([
      'ar', 'eu', 'bn', 'bg', 'ca', 'zh-hans', 'zh-hant', 'hr', 'cs', 'da', 'nl', 'en', 'en-gb', 'et', 'fi', 'fr', 'gl',
      'de', 'el', 'gu', 'he', 'hi', 'hu', 'is', 'it', 'ja', 'jp', 'kn', 'ko', 'lv', 'lt', 'ms', 'ml', 'mr', 'nb', 'pl',
      'pt-br', 'pt-pt', 'pa', 'ro', 'ru', 'sr', 'sk', 'sl', 'es', 'sv', 'ta', 'te', 'th', 'tr', 'uk', 'vi',
    ]),
  ),
  ui_lang: optional(localeField),
  count: optional(integerField(1, 20)),
  offset: optional(integerField(0, 9)),
  safesearch: optional(nameField(['off', 'moderate', 'strict'])),
  freshness: optional(freshnessField(braveFreshness)),
  text_decorations: optional(booleanField),
  spellcheck: optional(booleanField),
  result_filter: optional(
    listField(
      nameField(['discussions', 'faq', 'infobox', 'locations', 'news', 'query', 'rich', 'summarizer', 'videos', 'web']),
      20,
    ),
  ),
  goggles: optional(z.union([z.string(), z.array(z.string())])),
  goggles_id: optional(z.string()),
  units: optional(nameField(['metric', 'imperial'])),
  extra_snippets: optional(booleanField),
  summary: optional(booleanField),
  operators: optional(booleanField),
  enable_rich_callback: optional(booleanField),
  include_fetch_metadata: optional(booleanField),
})
