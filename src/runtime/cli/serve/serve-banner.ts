import type { ExecutorHealth } from '../../../domain/health.ts'
import type { LoadedConfig } from '../../config/config.ts'
import { isGatewayAlone } from '../../server/gateway-alone.ts'
import type { ListeningServer } from '../../server/listen.ts'
import { csp } from '../../shell/program.ts'
import type { Shell } from '../../shell/shell.ts'
import { safeLine, styleFor } from '../../shell/terminal.ts'
import { version } from '../../version.ts'

/** What `csp serve` shows on a terminal when it listens. */
export function banner(
  { url, urls }: Pick<ListeningServer, 'url' | 'urls'>,
  { config, path, found }: LoadedConfig,
  shell: Shell,
  hasNamedKeys: boolean,
): string {
  const { bold, dim } = styleFor(shell.output.isTerminal, shell.environment)
  const key = config.apiKeys.length > 0 || hasNamedKeys ? ' -H "Authorization: Bearer $KEY"' : ''
  const lines = [
    `${bold(`csp ${version}`)} listens on ${urls.map(bold).join(' and ')}`,
    ...(config.sandbox
      ? [bold('SANDBOX: no account is used, and nothing is searched on the web. All pages are samples.')]
      : []),
    ...(config.page === 'on' ? [`  ${dim('page')}    open ${url} in a browser`] : []),
    isGatewayAlone(config, shell.environment)
      ? `  ${dim('use')}     ${csp} run -- PROGRAM, or ANTHROPIC_BASE_URL=${url}`
      : `  ${dim('try')}     curl${key} '${url}/v1/search?q=hello+world'`,
    `  ${dim('config')}  ${path}${found ? '' : ` (no such file; ${csp} config shows the settings)`}`,
    `  ${dim('stop')}    Ctrl-C`,
  ]
  return `${lines.join('\n')}\n`
}

/** The health of the CLI and its login, a line for each backend. */
export function loginLines({ backends }: ExecutorHealth): string {
  const lines = backends.map(({ name, version: cli, signedIn, authMethod, subscription, problem }) => {
    if (problem) return `${name}: ${problem}`
    const login = signedIn === undefined ? 'not checked' : signedIn ? 'signed in' : 'signed out'
    const kind = [authMethod, subscription].filter(Boolean).join(', ')
    return `${name} ${cli ?? ''} ${login}${kind ? ` (${kind})` : ''}`
  })
  return lines.map((line) => `  ${safeLine(line)}\n`).join('')
}
