import type { HttpReply } from '@csp/lib/http-client'
import { joinUrl } from '@csp/lib/url'
import { SearchError, toSearchError } from '../../../domain/error.ts'
import { braveUrl } from '../../../executor/backends/brave/brave.ts'
import { explainBrave } from '../../../executor/backends/brave/error.ts'
import { exa } from '../../../executor/backends/exa/exa.ts'
import { freeUrls } from '../../../executor/backends/free/free.ts'
import { explainFree, listsTools, rpcCall, rpcHeaders } from '../../../executor/backends/free/rpc.ts'
import { ApiClient } from '../../../executor/backends/http/api-client.ts'
import { explainMessages } from '../../../executor/backends/messages/error.ts'
import { messagesUrl } from '../../../executor/backends/messages/messages.ts'
import { explainSearxng } from '../../../executor/backends/searxng/error.ts'
import { serper } from '../../../executor/backends/serper/serper.ts'
import { tavily } from '../../../executor/backends/tavily/tavily.ts'
import type { LoadedConfig } from '../../config/config.ts'
import type { BackendName } from '../../config/declarations/backends.ts'
import { type Config, usedBackends } from '../../config/settings.ts'
import { unusedBackendsHint } from '../../config/unused-backends.ts'
import { csp, docsPage } from '../../shell/program.ts'
import type { Environment } from '../../shell/shell.ts'
import { version } from '../../version.ts'
import { type Finding, resultsOf } from './finding.ts'

/** The addresses of the vendors. */
type BackendPlaces = Readonly<Record<Exclude<BackendName, 'claude' | 'searxng' | 'remote'>, string>>

/** Whether each backend besides Claude can be reached and accepts its key. Makes no search and costs nothing. */
export function checkBackends(config: Config, places: BackendPlaces = vendorPlaces): Promise<readonly Finding[]> {
  const others = usedBackends(config).filter((name) => name !== 'claude')
  return Promise.all(others.map((name) => check(name, config, places)))
}

export const vendorPlaces: BackendPlaces = {
  brave: braveUrl,
  exa: exa.url,
  tavily: tavily.url,
  serper: serper.url,
  messages: messagesUrl,
  ...freeUrls,
}

/** Keys that are set and search nothing: csp's own, and those of services that csp has no backend for. */
export function checkUnused(loaded: LoadedConfig, environment: Environment): readonly Finding[] {
  const { ok, warn } = resultsOf('other keys')
  const hint = unusedBackendsHint(loaded)
  const { backends, writers } = loaded.config
  const isAlone = hint === undefined && backends.length === 1 && backends[0] === 'claude'
  const foreign = foreignKeys.filter((name) => environment[name])
  const plural = foreign.length > 1 ? 'are' : 'is'
  const message = `${foreign.join(', ')} ${plural} set; csp has no backend for ${foreign.length > 1 ? 'them' : 'it'}`
  const order = `asked in this order, the next where one fails: ${backends.join(', ')}`
  return [
    ...(backends.length > 1 ? [resultsOf('order').ok(order)] : []),
    ...(writers ? [resultsOf('writers').ok(writers.join(', '))] : []),
    ...(hint ? [warn(hint, `${csp} config set backends auto`)] : []),
    ...(isAlone ? [resultsOf('fallback').ok(alone)] : []),
    ...(foreign.length > 0 ? [ok(message)] : []),
  ]
}

const alone = `none: searches fail while Claude cannot search. ${csp} config set backends claude,parallel-free asks a third party then, without a key`

const foreignKeys = ['SERPAPI_API_KEY', 'LINKUP_API_KEY', 'YDC_API_KEY']

async function check(name: Exclude<BackendName, 'claude'>, config: Config, places: BackendPlaces): Promise<Finding> {
  const { ok, fail } = resultsOf(name)
  if (name === 'messages' && config.sandbox) return ok('on the sandbox')
  const { isFine, explain, ...call } = trials[name](config, places)
  try {
    const client = new ApiClient(name, version)
    const reply = await client.ask(call, new AbortController().signal)
    if (!isFine(reply)) throw explain(reply, new Date(), call.url)
    return ok(`${call.url.host} answers`)
  } catch (error) {
    return fail(toSearchError(error).message, `${docsPage('backends.md')} says how to set it up.`)
  }
}

/** A request that costs nothing at a backend. */
interface Trial {
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: object | undefined
  readonly isFine: (reply: HttpReply) => boolean
  readonly explain: (reply: HttpReply, now: Date, url: URL) => SearchError
}

const trials: Readonly<Record<Exclude<BackendName, 'claude'>, (config: Config, places: BackendPlaces) => Trial>> = {
  // It rejects a missing query, but checks first whether JSON is enabled.
  searxng({ searxngUrl = '' }) {
    const url = joinUrl(searxngUrl, 'search')
    url.search = 'format=json'
    const isFine = ({ status, text }: HttpReply) => status === 400 && text.trimStart().startsWith('{')
    return { url, isFine, explain: explainSearxng }
  },
  // It rejects a missing query, but checks the key first.
  brave({ braveApiKey = '' }, { brave }) {
    const isFine = (reply: HttpReply) =>
      reply.status === 422 && explainBrave(reply, new Date()).code === 'invalid-request'
    const headers = { 'x-subscription-token': braveApiKey }
    return { url: joinUrl(brave, 'v1/web/search'), headers, isFine, explain: explainBrave }
  },
  // It rejects an empty body, but checks the key first.
  exa({ exaApiKey = '' }, places) {
    const isFine = ({ status }: HttpReply) => status === 400
    return { url: joinUrl(places.exa, 'search'), ...keyed(exa, exaApiKey), body: {}, isFine }
  },
  tavily: ({ tavilyApiKey = '' }, places) => ({ url: joinUrl(places.tavily, 'usage'), ...keyed(tavily, tavilyApiKey) }),
  serper: ({ serperApiKey = '' }, places) => ({
    url: joinUrl(places.serper, 'account'),
    ...keyed(serper, serperApiKey),
  }),
  'parallel-free': (_, places) => freeTrial('Parallel', places['parallel-free']),
  'exa-free': (_, places) => freeTrial('Exa', places['exa-free']),
  messages({ anthropicApiKey = '' }, { messages }) {
    const headers = { 'x-api-key': anthropicApiKey, 'anthropic-version': '2023-06-01' }
    return {
      url: joinUrl(messages, 'v1/models'),
      headers,
      isFine: isOk,
      explain: (reply, now) => explainMessages(reply, now),
    }
  },
  remote({ remoteUrl = '', remoteKey }) {
    const headers: Record<string, string> = remoteKey ? { authorization: `Bearer ${remoteKey}` } : {}
    return { url: joinUrl(remoteUrl, 'v1/models'), headers, isFine: isOk, explain: explainRemote }
  },
}

function keyed({ headers, explain }: typeof exa, key: string): Omit<Trial, 'url'> {
  return { headers: headers(key), isFine: isOk, explain }
}

/** The list of its tools costs no search. */
function freeTrial(vendor: string, place: string): Trial {
  const { path, body } = rpcCall()
  return { url: joinUrl(place, path), headers: rpcHeaders, body, isFine: listsTools, explain: explainFree(vendor) }
}

function isOk({ status }: HttpReply): boolean {
  return status === 200
}

function explainRemote({ status }: HttpReply): SearchError {
  if (status === 401) return new SearchError('signed-out', 'It rejects the key: check CSP_REMOTE_KEY.')
  return new SearchError('unavailable', `It answered with status ${status}, which csp never sends.`)
}
