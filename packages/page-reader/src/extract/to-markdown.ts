import { htmlToMarkdown } from '@mdream/js'

type Options = NonNullable<Parameters<typeof htmlToMarkdown>[1]>

export function toMarkdown(html: string): string {
  return converted(html, {})
}

export function toText(html: string): string {
  return converted(html, { format: 'text' })
}

/** The library throws on a row without a table, and may on others: the words of a page are worth more than its tables. */
function converted(html: string, options: Options): string {
  try {
    return htmlToMarkdown(html, options)
  } catch {
    return htmlToMarkdown(
      html.replace(tableTags, (_, slash: string) => `<${slash}div>`),
      options,
    )
  }
}

const tableTags = /<(\/?)(?:table|thead|tbody|tfoot|tr|th|td|caption)(?=[\s>])(?:[^>"]|"[^"]*")*>/g
