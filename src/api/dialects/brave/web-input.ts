import { z } from 'zod'
import { booleanField, integerField, listField, nameField, optional } from '../../fields/field.ts'
import { braveGogglesField, bravePageFields, braveSearchFields } from './search.ts'

export type BraveWebInput = z.output<typeof braveWebInput>

/** The parameters of Brave's web search. Those that nothing here can serve are checked all the same, then ignored. */
export const braveWebInput = z.object({
  ...braveSearchFields,
  ...bravePageFields,
  count: optional(integerField(1, 20)),
  text_decorations: optional(booleanField),
  result_filter: optional(
    listField(
      nameField(['discussions', 'faq', 'infobox', 'locations', 'news', 'query', 'rich', 'summarizer', 'videos', 'web']),
      20,
    ),
  ),
  goggles: optional(braveGogglesField),
  goggles_id: optional(z.string()),
  units: optional(nameField(['metric', 'imperial'])),
  summary: optional(booleanField),
  enable_rich_callback: optional(booleanField),
})
