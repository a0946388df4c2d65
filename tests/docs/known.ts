/** The languages of blocks, each with a check of its own or no need of one. */
export const languages = new Set([
  'sh',
  'console',
  'powershell',
  'json',
  'jsonc',
  'yaml',
  'toml',
  'ini',
  'nginx',
  'ts',
  'python',
  'text',
  'dockerfile',
])

/** Flags of programs that the docs name. */
export const flagsOfOthers: Readonly<Record<string, string>> = {
  '--restricted': 'claude',
  '--setting-sources': 'claude',
  '--system-prompt': 'claude',
  '--transport': 'claude mcp add',
  '--accept-capabilities': 'openclaw',
  '--query': 'openclaw',
  '--add-host': 'docker',
  '--samplers': 'web-search-api-evals',
  '--datasets': 'web-search-api-evals',
  '--limit': 'web-search-api-evals',
  '--max-concurrent-tasks': 'web-search-api-evals',
  '--user': 'systemctl',
}
