import { ticks } from '../formulas.ts'
import type { ChildNode, Document, Element } from '../tree/nodes.ts'
import { textWithin } from './within.ts'

/** Has lists say in the same way what their items count from, which are done, and which are below others. */
export function standardiseLists(document: Document): void {
  for (const list of document.querySelectorAll('ul > ul, ul > ol, ol > ul, ol > ol')) nest(list)
  for (const item of document.querySelectorAll('ol > li[value]')) number(item)
  for (const box of document.querySelectorAll('li input[type="checkbox"]')) tick(box)
}

/** A list that stands beside the item that it belongs to. */
function nest(list: Element): void {
  const item = list.previousElementSibling
  if (item?.localName === 'li') item.append(list)
}

/** An item that counts anew begins a list of its own, since Markdown counts on. */
function number(item: Element): void {
  const value = Number(item.getAttribute('value'))
  const list = item.parentElement
  if (!list || !Number.isInteger(value) || value < 0 || value > maxNumber) return
  const before = item.previousElementSibling
  if (!before) list.setAttribute('start', String(value))
  else if (before.getAttribute('value') !== String(value - 1) && !divided.has(list)) divide(list, item, value)
}

function divide(list: Element, item: Element, value: number): void {
  const rest = list.cloneNode(false) as Element
  divided.add(list).add(rest)
  rest.setAttribute('start', String(value))
  for (let next: ChildNode | null = item; next; ) {
    const nextSibling: ChildNode | null = next.nextSibling
    rest.append(next)
    next = nextSibling
  }
  list.after(rest)
}

/** Once each: a list that counts anew at every item would be a list for each. */
const divided = new WeakSet<Element>()
const maxNumber = 1_000_000

function tick(box: Element): void {
  const item = box.closest('li')
  const before = item && textWithin(item, 20).trimStart()
  if (!item || before?.startsWith(ticks.done) || before?.startsWith(ticks.open)) return
  item.prepend(`${box.hasAttribute('checked') ? ticks.done : ticks.open} `)
}
