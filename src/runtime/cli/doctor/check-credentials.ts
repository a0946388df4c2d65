import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { strayCredentials } from '../../../executor/backends/claude/cli/launch.ts'
import type { Config } from '../../config/settings.ts'
import type { Environment } from '../../shell/shell.ts'
import type { Finding } from './finding.ts'

/** Whether something other than what `auth` says could be billed. */
export function checkCredentials({ auth }: Pick<Config, 'auth'>, environment: Environment): Finding {
  const check = 'billing'
  const strays = [
    ...strayCredentials(environment),
    ...(hasKeyHelper(environment) ? ['apiKeyHelper in settings.json'] : []),
  ]
  if (auth === 'api-key') {
    if (strays.length > 0) return { status: 'ok', check, message: `--auth api-key, with ${strays.join(', ')}` }
    const remedy = 'Set ANTHROPIC_API_KEY, or leave --auth out to use your login.'
    return { status: 'fail', check, message: '--auth api-key, but no key is set', remedy, concernsClaude: true }
  }
  if (strays.length === 0) return { status: 'ok', check, message: 'the subscription pays' }
  return {
    status: 'warn',
    check,
    message: `the subscription pays; set and ignored: ${strays.join(', ')}`,
    remedy: 'Nothing need be done. To pay with the key instead, use --auth api-key.',
  }
}

function hasKeyHelper(environment: Environment): boolean {
  const folder = environment['CLAUDE_CONFIG_DIR'] ?? join(environment['HOME'] ?? '', '.claude')
  try {
    const settings: unknown = JSON.parse(readFileSync(join(folder, 'settings.json'), 'utf8'))
    return typeof settings === 'object' && settings !== null && 'apiKeyHelper' in settings
  } catch {
    return false
  }
}
