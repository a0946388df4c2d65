/** The question in a prompt: what csp's prompts hold between `<question>` tags, else the whole text. */
export function questionOf(prompt: string): string {
  return (/<question>([\s\S]*?)<\/question>/.exec(prompt)?.[1] ?? prompt).trim()
}
