import type { Issue } from '../dialect.ts'

/** Names a field as a person would write it: `messages[0].content`. Empty for the request as a whole. */
export function fieldPath(path: Issue['path']): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    return text ? `${text}.${step}` : step
  }, '')
}
