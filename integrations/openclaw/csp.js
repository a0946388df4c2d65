import { holderHeaders, startAgain } from './service.js'

export const defaultBaseUrl = 'http://127.0.0.1:52480'
const defaultTimeoutSeconds = 120
const defaultCount = 5
/** As many rows as OpenClaw shows an agent. */
const maximumCount = 10
const models = { fast: 'sonar', standard: 'sonar-pro', deep: 'sonar-reasoning-pro' }

/** Pages, as OpenClaw's `web_search` takes them. `args` are those of its tool. */
export async function findPages(args, settings, signal) {
  const { query, count, country, language, domain_filter: domains = [] } = args
  const { results } = await post(
    '/v1/search',
    { query, count: count ?? defaultCount, country, language, ...age(args), ...sites(domains) },
    settings,
    signal,
  )
  const rows = results.slice(0, maximumCount).map(({ title, url, snippet, published_date: published }) => ({
    title,
    url,
    ...(snippet && { snippet }),
    ...(published && { published }),
  }))
  return { count: rows.length, results: rows }
}

/** A written answer and the pages that its `[n]` markers name, or all pages when it names none. */
export async function findAnswer({ question, effort = 'standard', country, language }, settings, signal) {
  const chat = {
    model: models[effort] ?? models.standard,
    messages: [{ role: 'user', content: question }],
    country,
    search_language_filter: language && [language],
  }
  const { choices, search_results: sources } = await post('/chat/completions', chat, settings, signal)
  const content = choices[0].message.content
  const cited = new Set([...content.matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number)))
  const numbered = sources.map(({ title, url }, index) => ({ number: index + 1, title, url }))
  return { content, citations: numbered.filter(({ number }) => cited.size === 0 || cited.has(number)) }
}

/** As long a page as csp gives. */
const maximumCharacters = 1_000_000

/** A page, as OpenClaw's `web_fetch` takes it. OpenClaw marks the text as that of strangers. */
export async function readPage({ url, extractMode, maxChars }, settings, signal) {
  const wish = {
    urls: [url],
    format: extractMode === 'text' ? 'text' : 'markdown',
    max_characters: maxChars && Math.min(Math.floor(maxChars), maximumCharacters),
  }
  const { results, failed } = await post('/v1/extract', wish, settings, signal)
  const [page] = results
  if (!page) throw new Error(`csp: ${failed[0]?.message ?? 'The page could not be read.'}`)
  return {
    url,
    finalUrl: page.final_url,
    ...(page.title && { title: page.title }),
    text: page.content,
    extractor: 'csp',
    rawLength: page.total_characters,
    truncated: page.remaining > 0,
  }
}

function age({ freshness, date_after: from, date_before: to }) {
  if (freshness || !(from || to)) return { freshness }
  return { freshness: `${from ?? '1970-01-01'}to${to ?? new Date().toISOString().slice(0, 10)}` }
}

/** OpenClaw's filter is Perplexity's: a leading dash denies. */
function sites(domains) {
  const denied = domains.filter((domain) => domain.startsWith('-')).map((domain) => domain.slice(1))
  const allowed = domains.filter((domain) => !domain.startsWith('-'))
  return {
    ...(allowed.length > 0 && { include_domains: allowed }),
    ...(denied.length > 0 && { exclude_domains: denied }),
  }
}

async function post(path, body, settings, signal) {
  const { baseUrl, apiKey, timeoutSeconds = defaultTimeoutSeconds } = settings
  const limit = AbortSignal.timeout(timeoutSeconds * 1000)
  const send = () =>
    fetch(`${baseUrl.replace(/\/+$/, '')}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(apiKey && { authorization: `Bearer ${apiKey}` }),
        ...holderHeaders(),
      },
      body: JSON.stringify(body),
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    })
  // A connection that was kept open ends when csp restarts. An equal search is not made twice.
  const sendAgain = (error) => (hasCode(error, 'ECONNRESET', 'UND_ERR_SOCKET') ? send() : Promise.reject(error))
  const response = await send()
    .catch(sendAgain)
    .catch(async (error) => {
      if (!hasCode(error, 'ECONNREFUSED')) throw error
      // Nothing was sent, so it may be sent again.
      if (await startAgain()) return send()
      throw new Error(`csp: nothing answers at ${baseUrl}. Start it with: csp start`)
    })
  const reply = await response.json().catch(() => ({}))
  if (response.ok) return reply
  throw new Error(`csp: ${reply.error?.message ?? `HTTP ${response.status}`}`)
}

/** Whether a request failed with one of these codes. node has it in the cause, Bun in the error. */
function hasCode(error, ...codes) {
  return [error.code, error.cause?.code].some((code) => codes.includes(code))
}
