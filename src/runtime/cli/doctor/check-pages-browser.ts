import { BrowserError, browserVersion } from '@csp/page-reader/browser/devtools'
import type { Config } from '../../config/settings.ts'
import { csp } from '../../shell/program.ts'
import { type Finding, resultsOf } from './finding.ts'

/** Whether the browser for pages answers, where one is configured. */
export async function checkPagesBrowser({ pagesBrowser }: Pick<Config, 'pagesBrowser'>): Promise<readonly Finding[]> {
  if (!pagesBrowser) return []
  const { ok, warn } = resultsOf('browser')
  try {
    const { name } = await browserVersion(pagesBrowser, AbortSignal.timeout(5000))
    return [ok(`${name} at ${pagesBrowser}, for pages that need scripts`)]
  } catch (error) {
    if (!(error instanceof BrowserError)) throw error
    const message = `${error.message}; pages that need scripts cannot be read`
    const remedy = `Start Chromium as docs/pages.md says, or ${csp} config unset pages-browser.`
    return [warn(message, remedy)]
  }
}
