/** A markdown link. Brackets in the title are escaped, as they would end it early. */
export function markdownLink({ title, url }: { readonly title: string; readonly url: string }): string {
  return `[${title.replace(/[[\]]/g, '\\$&')}](${url})`
}
