import { type Matcher, matcherOf } from './selectors.ts'

/**
 * The tree of a page: as much of the DOM as reading one takes, by the names of the DOM. A node knows its neighbours, so that
 * every step from one to the next, and every change, takes the same time wherever it is. Comments are none of it.
 */
export type Node = Element | Text
export type ChildNode = Node

/** The root of a tree, which always has a head and a body. */
export class Document {
  readonly documentElement: Element
  readonly head: Element
  readonly body: Element

  constructor(documentElement: Element, head: Element, body: Element) {
    this.documentElement = documentElement
    this.head = head
    this.body = body
  }

  createElement(name: string): Element {
    return maker.createElement(name)
  }

  createTextNode(data: string): Text {
    return maker.createTextNode(data)
  }

  getElementById(id: string): Element | null {
    return firstIn(this.documentElement, (element) => element.getAttribute('id') === id)
  }

  querySelector(selector: string): Element | null {
    const matches = matcherOf(selector)
    return matches(this.documentElement) ? this.documentElement : firstIn(this.documentElement, matches)
  }

  querySelectorAll(selector: string): Element[] {
    const matches = matcherOf(selector)
    return allIn(this.documentElement, matches, matches(this.documentElement) ? [this.documentElement] : [])
  }
}

/** What elements and texts have in common. */
abstract class Child {
  parentElement: Element | null = null
  previousSibling: ChildNode | null = null
  nextSibling: ChildNode | null = null

  get nextElementSibling(): Element | null {
    let node = this.nextSibling
    while (node && node.nodeType !== 1) node = node.nextSibling
    return node
  }

  get previousElementSibling(): Element | null {
    let node = this.previousSibling
    while (node && node.nodeType !== 1) node = node.previousSibling
    return node
  }

  /** Makes nodes, which belong to no document until they stand in one. */
  get ownerDocument(): Pick<Document, 'createElement' | 'createTextNode'> {
    return maker
  }

  remove(this: ChildNode): void {
    detach(this)
  }

  before(this: ChildNode, ...nodes: readonly (ChildNode | string)[]): void {
    if (this.parentElement) insertAll(this.parentElement, nodes, this)
  }

  after(this: ChildNode, ...nodes: readonly (ChildNode | string)[]): void {
    if (this.parentElement) insertAll(this.parentElement, nodes, this.nextSibling)
  }

  replaceWith(this: ChildNode, ...nodes: readonly (ChildNode | string)[]): void {
    if (!this.parentElement) return
    insertAll(this.parentElement, nodes, this)
    if (!nodes.includes(this)) detach(this)
  }
}

export class Text extends Child {
  readonly nodeType = 3
  data: string

  constructor(data: string) {
    super()
    this.data = data
  }

  get nodeName(): string {
    return '#text'
  }

  get firstChild(): null {
    return null
  }

  get lastChild(): null {
    return null
  }

  get childNodes(): ChildNode[] {
    return []
  }

  get textContent(): string {
    return this.data
  }

  cloneNode(): Text {
    return new Text(this.data)
  }
}

export class Element extends Child {
  readonly nodeType = 1
  /** In lower case. */
  readonly localName: string
  firstChild: ChildNode | null = null
  lastChild: ChildNode | null = null
  /** Names, which are in lower case, each before its value: elements have few, and most of what is asked for they have not. */
  #attributes: string[] | undefined

  constructor(localName: string) {
    super()
    this.localName = localName
  }

  /** In capitals. */
  get nodeName(): string {
    return this.localName.toUpperCase()
  }

  get attributes(): readonly Attribute[] {
    const all: Attribute[] = []
    const own = this.#attributes ?? []
    for (let at = 0; at < own.length; at += 2) all.push({ name: own[at] ?? '', value: own[at + 1] ?? '' })
    return all
  }

  getAttribute(name: string): string | null {
    const own = this.#attributes
    if (own) for (let at = 0; at < own.length; at += 2) if (own[at] === name) return own[at + 1] ?? ''
    return null
  }

  hasAttribute(name: string): boolean {
    return this.getAttribute(name) !== null
  }

  setAttribute(name: string, value: string): void {
    this.#attributes ??= []
    const own = this.#attributes
    for (let at = 0; at < own.length; at += 2)
      if (own[at] === name) {
        own[at + 1] = value
        return
      }
    own.push(name, value)
  }

  /** Of an attribute that is written twice, the first counts; no element that people wrote has a hundred. */
  addAttribute(name: string, value: string): void {
    if ((this.#attributes?.length ?? 0) < 2 * maxAttributes && !this.hasAttribute(name)) this.setAttribute(name, value)
  }

  removeAttribute(name: string): void {
    const own = this.#attributes
    if (own) for (let at = 0; at < own.length; at += 2) if (own[at] === name) own.splice(at, 2)
  }

  get childNodes(): ChildNode[] {
    const nodes: ChildNode[] = []
    for (let node = this.firstChild; node; node = node.nextSibling) nodes.push(node)
    return nodes
  }

  get children(): Element[] {
    const elements: Element[] = []
    for (let node = this.firstChild; node; node = node.nextSibling) if (node.nodeType === 1) elements.push(node)
    return elements
  }

  get childElementCount(): number {
    let count = 0
    for (let node = this.firstChild; node; node = node.nextSibling) if (node.nodeType === 1) count++
    return count
  }

  get firstElementChild(): Element | null {
    const node = this.firstChild
    return node && node.nodeType !== 1 ? node.nextElementSibling : node
  }

  get textContent(): string {
    let text = ''
    for (let node = nextIn(this, this); node; node = nextIn(node, this)) if (node.nodeType === 3) text += node.data
    return text
  }

  get innerHTML(): string {
    return innerHtml(this)
  }

  append(...nodes: readonly (ChildNode | string)[]): void {
    insertAll(this, nodes, null)
  }

  prepend(...nodes: readonly (ChildNode | string)[]): void {
    insertAll(this, nodes, this.firstChild)
  }

  replaceChildren(...nodes: readonly (ChildNode | string)[]): void {
    while (this.firstChild) detach(this.firstChild)
    insertAll(this, nodes, null)
  }

  contains(other: Node): boolean {
    for (let at: Node | null = other; at; at = at.parentElement) if (at === this) return true
    return false
  }

  cloneNode(isDeep = false): Element {
    const clone = new Element(this.localName)
    if (this.#attributes) clone.#attributes = [...this.#attributes]
    if (isDeep) for (let node = this.firstChild; node; node = node.nextSibling) link(clone, node.cloneNode(true), null)
    return clone
  }

  matches(selector: string): boolean {
    return matcherOf(selector)(this)
  }

  closest(selector: string): Element | null {
    const matches = matcherOf(selector)
    let element: Element | null = this
    while (element && !matches(element)) element = element.parentElement
    return element
  }

  querySelector(selector: string): Element | null {
    return firstIn(this, matcherOf(selector))
  }

  querySelectorAll(selector: string): Element[] {
    return allIn(this, matcherOf(selector), [])
  }
}

export interface Attribute {
  readonly name: string
  readonly value: string
}

const maxAttributes = 100

const maker = {
  createElement: (name: string): Element => new Element(name),
  createTextNode: (data: string): Text => new Text(data),
}

/** The next node of a tree in the order of its text. */
export function nextIn(node: Node, root: Node): Node | null {
  if (node.firstChild) return node.firstChild
  let at: Node | null = node
  while (at && at !== root) {
    if (at.nextSibling) return at.nextSibling
    at = at.parentElement
  }
  return null
}

function firstIn(root: Element, matches: Matcher): Element | null {
  for (let node = nextIn(root, root); node; node = nextIn(node, root))
    if (node.nodeType === 1 && matches(node)) return node
  return null
}

function allIn(root: Element, matches: Matcher, into: Element[]): Element[] {
  for (let node = nextIn(root, root); node; node = nextIn(node, root))
    if (node.nodeType === 1 && matches(node)) into.push(node)
  return into
}

/** Moves nodes to where they stand before another, or at the end. One that stands there stays. */
export function insertAll(parent: Element, nodes: readonly (ChildNode | string)[], before: ChildNode | null): void {
  let next = before
  for (const each of nodes) {
    const node = typeof each === 'string' ? new Text(each) : each
    if (node === next) {
      next = node.nextSibling
      continue
    }
    if (node.firstChild && node.contains(parent)) throw new Error('An element cannot stand in itself.')
    detach(node)
    link(parent, node, next)
  }
}

/** Puts a node that stands nowhere into its place. */
export function link(parent: Element, node: ChildNode, before: ChildNode | null): void {
  const previous = before ? before.previousSibling : parent.lastChild
  node.parentElement = parent
  node.previousSibling = previous
  node.nextSibling = before
  if (previous) previous.nextSibling = node
  else parent.firstChild = node
  if (before) before.previousSibling = node
  else parent.lastChild = node
}

function detach(node: ChildNode): void {
  const { parentElement: parent, previousSibling: previous, nextSibling: next } = node
  if (!parent) return
  if (previous) previous.nextSibling = next
  else parent.firstChild = next
  if (next) next.previousSibling = previous
  else parent.lastChild = previous
  node.parentElement = null
  node.previousSibling = null
  node.nextSibling = null
}

/** Recursion is bounded: trees have `maxDepth` levels. */
function innerHtml(element: Element): string {
  let html = ''
  for (let node = element.firstChild; node; node = node.nextSibling)
    html += node.nodeType === 3 ? escaped(node.data) : outerHtml(node)
  return html
}

function outerHtml(element: Element): string {
  const name = element.localName
  let tag = `<${name}`
  for (const attribute of element.attributes) tag += ` ${attribute.name}="${attribute.value.replaceAll('"', '&quot;')}"`
  return voidElements.has(name) ? `${tag}>` : `${tag}>${innerHtml(element)}</${name}>`
}

function escaped(text: string): string {
  return text.replace(special, (sign) => entities[sign] ?? sign)
}

const special = /[<>&\u00a0]/g
const entities: Readonly<Record<string, string>> = { '\u00a0': '&#160;', '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const voidElements: ReadonlySet<string> = new Set(
  'area base br col embed hr img input keygen link menuitem meta param source track wbr'.split(' '),
)
