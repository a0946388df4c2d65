import {
  applyEdits,
  createScanner,
  type Edit,
  type FormattingOptions,
  findNodeAtLocation,
  format,
  modify,
  type Node,
  parseTree,
} from 'jsonc-parser'

/** Names of members and indices of lists. */
export type Path = readonly (string | number)[]

/** The text of JSON with comments, with a value set, or removed where it is `undefined`. */
export function withValue(text: string, path: Path, value: unknown): string {
  const indent = /^\s*\{[ \t]*\r?\n([ \t]+)\S/.exec(text)?.[1] ?? '  '
  const formattingOptions = formatOf(indent)
  const edits =
    value === undefined
      ? (onlyMember(text, path) ?? modify(text, [...path], value, { formattingOptions }))
      : (behindSibling(text, path, value, indent) ?? modify(text, [...path], value, { formattingOptions }))
  return applyEdits(text, edits)
}

/** A new member behind others, which stay as they are: with `formattingOptions` the last of them would be reformatted. */
function behindSibling(text: string, path: Path, value: unknown, indent: string): Edit[] | undefined {
  const [edit] = modify(text, [...path], value, {})
  if (!edit?.content.startsWith(',')) return undefined
  const tree = parseTree(text)
  const parents = path.map((_, depth) => tree && findNodeAtLocation(tree, path.slice(0, depth)))
  const sibling = parents.findLast((node) => node !== undefined)?.children?.at(-1)
  const member = edit.content.slice(1)
  const own = text.slice(text.lastIndexOf('\n', sibling?.offset) + 1, sibling?.offset)
  if (own.trim() !== '' || !text.includes('\n')) return [{ ...edit, content: `, ${member}` }]
  const lines = applyEdits(member, format(member, undefined, formatOf(indent))).split('\n')
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  return [{ ...edit, content: [',', ...lines.map((line) => own + line)].join(eol) }]
}

/** Removes the only member of an object, with the comma behind it, which the library leaves there. */
function onlyMember(text: string, path: Path): Edit[] | undefined {
  const tree = parseTree(text)
  const member = (tree && findNodeAtLocation(tree, [...path]))?.parent
  if (member?.type !== 'property' || member.parent?.children?.length !== 1) return undefined
  const comma = commaBehind(text, member)
  return [
    { offset: member.offset, length: member.length, content: '' },
    ...(comma === undefined ? [] : [{ offset: comma, length: 1, content: '' }]),
  ]
}

function commaBehind(text: string, { offset, length }: Node): number | undefined {
  const scanner = createScanner(text, true)
  scanner.setPosition(offset + length)
  scanner.scan()
  return text[scanner.getTokenOffset()] === ',' ? scanner.getTokenOffset() : undefined
}

function formatOf(indent: string): FormattingOptions {
  return { insertSpaces: !indent.includes('\t'), tabSize: indent.length, eol: '\n' }
}
