import { hides, isOverlay } from '../overlays.ts'
import type { Element } from '../tree/nodes.ts'

/** An element of a page on the way from its root to a block, and what all blocks in it add up to. */
export interface BlockParent {
  readonly parent: BlockParent | undefined
  readonly name: string
  readonly depth: number
  /** The kinds of parts that it is, or is in, as bits of `parts`. */
  readonly parts: number
  /** What its own class and id say of content, and the least, most and sum of that on the way to it. */
  readonly said: number
  readonly leastSaid: number
  readonly mostSaid: number
  readonly sumSaid: number
  /** Whether the mark of a note leads here. */
  readonly isNote: boolean
  /** The outermost hidden element that it is, or is in. */
  hiding: BlockParent | undefined
  /** Its siblings of the same name and class, itself included. */
  readonly group: LikeElements
  words: number
  linkedWords: number
  /** In blocks long enough to be prose, without their links. */
  proseWords: number
  blocks: number
}

/** Elements of one parent that look the same: posts of a thread, cards of a list, rows. */
export interface LikeElements {
  count: number
  words: number
  linkedWords: number
}

/** Parts of a page that say what is in them. */
export const parts = {
  nav: 1,
  header: 2,
  footer: 4,
  aside: 8,
  hidden: 16,
  form: 32,
  noscript: 64,
  button: 128,
  article: 256,
  main: 512,
  item: 1024,
  table: 2048,
  figure: 4096,
  details: 8192,
  overlay: 16384,
  quote: 32768,
  comments: 65536,
} as const

const partByName: Readonly<Record<string, number>> = {
  nav: parts.nav,
  header: parts.header,
  footer: parts.footer,
  aside: parts.aside,
  form: parts.form,
  noscript: parts.noscript,
  button: parts.button,
  article: parts.article,
  main: parts.main,
  li: parts.item,
  table: parts.table,
  figure: parts.figure,
  details: parts.details,
  dialog: parts.overlay,
  blockquote: parts.quote,
  label: parts.form,
}

const partByRole: Readonly<Record<string, number>> = {
  navigation: parts.nav,
  menu: parts.nav,
  menubar: parts.nav,
  banner: parts.header,
  contentinfo: parts.footer,
  complementary: parts.aside,
  button: parts.button,
  article: parts.article,
  main: parts.main,
  dialog: parts.overlay,
  listitem: parts.item,
}

/** The parts that an element itself is. */
export function pagePartsOf(element: Element, name: string, className: string): number {
  let found = partByName[name] ?? 0
  const role = element.getAttribute('role')
  if (role) found |= partByRole[role] ?? 0
  if (isOverlay(element, className) || isTrail(name, className)) found |= parts.overlay
  if (name !== 'body' && hasComments(element, className)) found |= parts.comments
  return isHidden(element) || element.getAttribute('aria-hidden') === 'true' ? found | parts.hidden : found
}

/** Whether it is named after what readers wrote: the content of a thread, and none below an article. */
function hasComments(element: Element, className: string): boolean {
  const id = element.getAttribute('id') ?? ''
  return /comment|disqus|respond|repl(?:y|ies)|livefyre/i.test(`${className.slice(0, maxName)} ${id.slice(0, maxName)}`)
}

/** The way to the page from the home of its site. */
function isTrail(name: string, className: string): boolean {
  return (name === 'ul' || name === 'ol') && className.includes('breadcrumb')
}

/** Whether readers do not see an element. */
export function isHidden(element: Element): boolean {
  if (element.hasAttribute('hidden') || element.getAttribute('class') === 'hidden') return true
  return hides(element.getAttribute('style') ?? '')
}

/** Whether a click of its reader shows it: the panel of a tab, an answer below its question. */
export function isFolded(element: Element, className: string): boolean {
  const role = element.getAttribute('role')
  if (role === 'tabpanel' || role === 'region') return true
  return nameWords(`${className} ${element.getAttribute('id') ?? ''}`).some((word) => folds.has(word))
}

const folds: ReadonlySet<string> = new Set(
  'tab tabs panel pane accordion collapse collapsible collapsed toggle faq answer expand expandable'.split(' '),
)

/** The words of a class or an id: `postBody-text` has three. */
export function nameWords(value: string): readonly string[] {
  return (
    value
      .slice(0, maxName)
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z]{3,20}/g) ?? []
  )
}

export const maxName = 200
