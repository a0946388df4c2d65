import type { Reading } from './live.ts'

/** What some readers render that is no fence to Markdown: Azure DevOps' `:::mermaid`, LibreChat's `:::artifact{…}`. */
export function readContainers(text: string): Reading {
  const rendered = [...text.matchAll(container)].map(([, language = '', content = '']) => ({
    reader: 'containers',
    language,
    content,
  }))
  return { live: [], rendered }
}

const container = /^[ \t>*-]*:{3,}[ \t]*\{?[.:]?([a-z][\w-]*)[^\n]*\n([\s\S]*?)(?:^[ \t>]*:{3,}|$(?![\s\S]))/gim
