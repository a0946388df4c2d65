import { normaliseUrl } from '../../../lib/url.ts'

/** What a link's label amounts to: a title of the page, a mere pointer to it, or words of the sentence. */
export type LabelKind = 'title' | 'number' | 'address' | 'pointer' | 'words'

/** Tells what a label is to its URL, and to the title of the page if that is known. */
export function labelKind(label: string, url: string, title: string | undefined): LabelKind {
  const bare = label.replace(/^[\s*_`]+/, '').replace(/[\s*_`]+$/, '')
  if (/^[[【(]?\^?\d{1,3}[\])】]?$/.test(bare)) return 'number'
  if (/^(?:https?:\/\/|www\.)\S*$/i.test(bare)) return 'address'
  if (/^(?:source|sources|link|quelle|ref|reference)$/i.test(bare)) return 'pointer'
  if (bare.includes('.') && sameHost(bare, url)) return 'pointer'
  return title !== undefined && isTitle(words(bare), words(title)) ? 'title' : 'words'
}

function sameHost(label: string, url: string): boolean {
  const [host] = normaliseUrl(url)?.split(/[/?]/) ?? []
  return host !== undefined && normaliseUrl(label) === host
}

/** A label is a title also when it is a whole part of it, or the other way round: `Reuters` in `Markets - Reuters`. */
function isTitle(label: string, title: string): boolean {
  return label !== '  ' && title !== '  ' && (title.includes(label) || label.includes(title))
}

/** Between spaces, so that only whole words are found. */
function words(text: string): string {
  return ` ${
    text
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join(' ') ?? ''
  } `
}
