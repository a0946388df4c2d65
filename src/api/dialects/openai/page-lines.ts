import { plainLine } from '@csp/lib/text'
import type { Page } from '@csp/page-reader/page'
import { markdownAddress } from '../../exchange/markdown-text.ts'
import type { Part } from './foreign-text.ts'

type Lines = Pick<Page, 'content' | 'links'>

/** The lines of a page from one on, with their numbers, and its links with theirs; no longer than that together. */
export function linesFrom({ content, links }: Lines, first: number, maxCharacters: number): Part {
  const lines = content.split('\n')
  const foot = linksWithin(links, maxCharacters / 4)
  if (first > lines.length) return { words: '', own: `The page has only ${lines.length} lines.${foot}` }
  const shown: string[] = []
  let left = maxCharacters - foot.length
  let at = Math.max(1, first)
  for (; at <= lines.length && left > 0; at++) {
    const line = `L${at}: ${plainLine((lines[at - 1] ?? '').slice(0, left))}`
    shown.push(line)
    left -= line.length
  }
  const rest = at <= lines.length ? `\nThe page has ${lines.length} lines; open it with lineno ${at} to read on.` : ''
  return { words: shown.join('\n'), own: `${rest}${foot}` }
}

function linksWithin(links: readonly string[], maxCharacters: number): string {
  let text = links.length > 0 ? '\nLinks, by the id that click takes:' : ''
  for (const [index, url] of links.slice(0, maxLinks).entries()) {
    const line = `\n${index + 1}: ${markdownAddress(url)}`
    if (text.length + line.length > maxCharacters) break
    text += line
  }
  return text.includes('\n1: ') ? text : ''
}

/** How many links of a page are listed. */
const maxLinks = 50
/** How many places of a word are shown, and how much around each. */
const maxPlaces = 20
const around = 200

/** The lines of a page that have the words, in any case, cut around them. */
export function linesWith({ content }: Lines, words: string, maxCharacters: number): Part {
  const sought = words.toLowerCase()
  const found: string[] = []
  let left = maxCharacters
  for (const [index, line] of content.split('\n').entries()) {
    const place = line.toLowerCase().indexOf(sought)
    if (place < 0) continue
    const text = plainLine(line.slice(Math.max(0, place - around), place + sought.length + around))
    left -= text.length
    if (found.length === maxPlaces || left < 0) break
    found.push(`L${index + 1}: ${text}`)
  }
  return found.length > 0 ? { words: found.join('\n'), own: '' } : { words: '', own: 'The words are not on the page.' }
}
