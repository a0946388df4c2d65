/** The parameter of a function that stands for a tool with one text as its input. */
export const customInput = 'input'

/** The function that stands for the tool by which a client finds more of its tools. */
export const toolSearchName = 'tool_search'

/** What a function of a namespace is called in front of models, which know no namespaces. */
export function flatName(name: string, namespace?: string): string {
  const whole = namespace ? `${namespace}__${name}` : name
  return namespace && whole.length > maxName ? `${whole.slice(0, maxName - 9)}_${digest(whole)}` : whole
}

/** The bound of functions' names. */
const maxName = 64

/** FNV-1a: the same name has to get the same digest in the next turn. */
function digest(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}

/** The flat names of a sent tool, or of the tools in a namespace. */
export function flatNamesIn({ type, name, tools = [] }: NamedTool): readonly string[] {
  if (name === undefined) return []
  return type === 'namespace' ? tools.flatMap((tool) => (tool.name ? [flatName(tool.name, name)] : [])) : [name]
}

interface NamedTool {
  readonly type: string
  readonly name?: string | undefined
  readonly tools?: readonly { readonly name?: string | undefined }[] | undefined
}
