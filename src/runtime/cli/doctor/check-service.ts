import { existsSync, readFileSync } from 'node:fs'
import { ownServiceManager } from '../../background/service/own-manager.ts'
import { csp } from '../../shell/program.ts'
import type { Call } from '../command.ts'
import { type Finding, resultsOf } from './finding.ts'

/**
 * Whether the programs that the service starts are where it looks for them. Nothing if there is no service. `install`
 * rewrites it with these flags of `csp serve`, and says whether it runs then.
 */
export function checkService(
  { shell }: Pick<Call, 'shell'>,
  install: (flags: readonly string[]) => Promise<boolean>,
): Finding | undefined {
  const { ok, fail } = resultsOf('service')
  const manager = ownServiceManager(shell.environment)
  if (!manager || !existsSync(manager.file)) return undefined
  const text = readFileSync(manager.file, 'utf8')
  const gone = programsIn(text).filter((path) => !existsSync(path))
  if (gone.length === 0) return ok(manager.file)
  const words = wordsBehindServe(text)
  const command = `${csp} start --at-login${words?.length ? ` ${words.join(' ')}` : ''}`
  return fail(
    `${manager.file} names what is not there: ${gone.join(' ')}`,
    `${command} rewrites it.`,
    words && { what: `${command}, with the variables of this terminal`, run: () => install(words) },
  )
}

/** The programs in the definition of a service: the runtime, csp and the CLI. */
function programsIn(text: string): readonly string[] {
  const words = [...text.matchAll(/"(\/[^"<>]*)"|(?<=[\s=>])(\/[^\s"<>]+)/g)]
  const paths = words.map(([, quoted, plain]) => quoted ?? plain ?? '')
  const assigned = [...text.matchAll(/CSP_CLAUDE_BIN(?:=|<\/key><string>)([^"\s<]+)/g)].map(([, path = '']) => path)
  const named = paths.filter((path) => /\/(?:node|bun|csp|csp\.mjs|entry\.ts|claude)$/.test(path))
  return [...new Set([...named, ...assigned])]
}

/** The flags that the service was installed with; `undefined` if they need an escape. */
function wordsBehindServe(text: string): readonly string[] | undefined {
  const [, unit] = /^ExecStart=.*? serve((?: [^\n]*)?)$/m.exec(text) ?? []
  const [, list] = /<string>serve<\/string>([\s\S]*?)<\/array>/.exec(text) ?? []
  const words =
    unit?.split(' ').filter(Boolean) ??
    [...(list ?? '').matchAll(/<string>(.*?)<\/string>/g)].map(([, word = '']) => word)
  const isPlain = words.every((word) => /^--[\w=:,./-]+$/.test(word))
  return (unit !== undefined || list !== undefined) && isPlain ? words : undefined
}
