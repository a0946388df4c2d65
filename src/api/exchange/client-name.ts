/** The name of the program that sends a request, for people; `undefined` where its headers do not tell. */
export function clientName(headers: Headers): string | undefined {
  // csp's page sends it; a browser lets no page of another site do so.
  if (headers.get('x-requested-with') === 'csp') return pageClient
  const agent = headers.get('user-agent')?.slice(0, maxAgent) ?? ''
  return clients.find(([pattern]) => pattern.test(agent))?.[1]
}

/** csp's own page, and csp's own commands. */
export const pageClient = 'the page'
export const commandClient = 'the terminal'

const maxAgent = 300

/** The more special first: editors name the browser that they are made of, and SDKs the language's library. */
const clients: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^claude-cli\/|^claude-code\b/i, 'Claude Code'],
  [/\bclaude-desktop\b|\bClaude\/\d/, 'Claude Desktop'],
  [/\bCursor\//i, 'Cursor'],
  [/^codex_|\bcodex[-_]cli/i, 'Codex'],
  [/^opencode\//i, 'opencode'],
  [/^openclaw\//i, 'OpenClaw'],
  [/^Zed\//i, 'Zed'],
  [/\bCline\//i, 'Cline'],
  [/\bRoo-?Code\//i, 'Roo Code'],
  [/\bContinue\//i, 'Continue'],
  [/\bgoose\//i, 'goose'],
  [/\bhermes-agent\//i, 'Hermes'],
  [/\bCode\/\d|\bVisualStudioCode\b|^vscode/i, 'VS Code'],
  [/\bopen[- ]?webui\b/i, 'Open WebUI'],
  [/\blibrechat\b/i, 'LibreChat'],
  [/\blitellm\b/i, 'LiteLLM'],
  [/\bHomeAssistant\//i, 'Home Assistant'],
  [/^Raycast\//i, 'Raycast'],
  [/^n8n\b/i, 'n8n'],
  [/^claude-search-proxy\//, 'another csp'],
  [/^(?:Async)?OpenAI\/Python/i, 'OpenAI’s Python library'],
  [/^OpenAI\/JS/i, 'OpenAI’s JavaScript library'],
  [/^(?:Async)?Anthropic\/(?:Python|JS)/i, 'Anthropic’s library'],
  [/\btavily-(?:python|js)\b/i, 'Tavily’s library'],
  [/^exa-(?:py|js|node)\b/i, 'Exa’s library'],
  [/\bperplexity\//i, 'Perplexity’s library'],
  [/^curl\//i, 'curl'],
  [/^Wget\//i, 'wget'],
  [/^python-(?:requests|httpx|urllib)|^Python-urllib|^Python\/|\baiohttp\//i, 'a Python program'],
  [/^Go-http-client\//i, 'a Go program'],
  [/^(?:node|undici|node-fetch|axios)\b|^bun\//i, 'a JavaScript program'],
  [/^okhttp\/|^Java\//i, 'a Java program'],
  [/^Mozilla\//i, 'a browser'],
]
