/** What one reader of Markdown finds in a text that may be live. */
export interface Live {
  readonly reader: string
  readonly type: 'link' | 'image' | 'html'
  /** What it leads to, or the HTML. */
  readonly target: string
  /** What is shown of a link that was made of plain text. */
  readonly shown?: string | undefined
}

/** Code and formulas, which some clients render. */
export interface Rendered {
  readonly reader: string
  /** The first word behind the fence; `math` for a formula. */
  readonly language: string
  readonly content: string
}

export interface Reading {
  readonly live: readonly Live[]
  readonly rendered: readonly Rendered[]
}

/** Languages of fences that clients show as something other than text. */
export function isRendered(language: string): boolean {
  return renderedLanguages.has(language.toLowerCase())
}

const renderedLanguages = new Set([
  ...['mermaid', 'vega', 'vega-lite', 'html', 'xhtml', 'htm', 'svg', 'xml', 'markdown', 'md', 'mdx', 'latex', 'tex'],
  ...[
    'math',
    'katex',
    'plantuml',
    'puml',
    'dot',
    'graphviz',
    'd2',
    'echarts',
    'chart',
    'plotly',
    'geojson',
    'topojson',
  ],
  ...['markmap', 'mindmap', 'flowchart', 'artifact', 'vue', 'svelte', 'react', 'iframe', 'embed'],
])
