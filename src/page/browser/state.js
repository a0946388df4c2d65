// The state of everything, as rows: how it is, why, and when it is tried next.

import { byId, countdown, element } from './dom.js'

/** @typedef {'ok' | 'warning' | 'bad'} Level */

/** @type {Record<Level, string>} */
const words = { ok: 'OK', warning: 'Look', bad: 'Problem' }

/**
 * @param {any} health
 * @param {any} usage absent without a key
 */
export function showState(health, usage) {
  const rows = [
    ...ownRows(health),
    ...(health.backends ?? []).flatMap(backendRows),
    ...restRows(health),
    ...usageRows(usage),
  ]
  const list = element('dl', { class: 'rows' }, ...rows)
  byId('state', HTMLElement).replaceChildren(list)
  showStatus(health.status)
}

/** What the rows say was so once, and may be otherwise now. */
export function showNoAnswer() {
  showStatus('unreachable')
  const list = byId('state', HTMLElement).querySelector('dl')
  if (list?.classList.contains('past')) return
  const time = new Date().toLocaleTimeString()
  const lost = row('csp', 'bad', `No answer since ${time}. Asked again every few seconds; the rest is how it was.`)
  if (list) list.firstElementChild?.replaceWith(lost)
  else byId('state', HTMLElement).replaceChildren(element('dl', { class: 'rows' }, lost))
  byId('state', HTMLElement).querySelector('dl')?.classList.add('past')
}

/** @param {string} status */
function showStatus(status) {
  /** @type {Record<string, [Level, string]>} */
  const known = { ok: ['ok', 'Works'], degraded: ['warning', 'Degraded'], down: ['bad', 'Down'] }
  const [level, text] = known[status] ?? ['bad', 'No answer']
  const badge = byId('status', HTMLElement).querySelector('.badge')
  if (!badge || badge.textContent === text) return
  badge.className = `badge ${level}`
  badge.textContent = text
}

/**
 * @param {string} name
 * @param {Level} level
 * @param {...(Node | string)} facts
 */
function row(name, level, ...facts) {
  return element(
    'div',
    {},
    element('dt', {}, name),
    element('dd', {}, element('span', { class: `badge ${level}` }, words[level]), ' ', ...facts),
  )
}

/** @param {any} health */
function ownRows({ status, problem, version, uptime_seconds: uptime, refused_proxy: proxy }) {
  const text = {
    ok: 'Searches work',
    degraded: 'Searches work, but not by every backend',
    down: 'No search can work now',
  }[String(status)]
  /** @type {Level} */
  const level = status === 'ok' ? 'ok' : status === 'degraded' ? 'warning' : 'bad'
  const facts = version ? `. Version ${version}, up for ${hours(uptime)}.` : '. A key shows the rest.'
  // Behind a proxy csp says nothing else without keys.
  if (problem) return [row('csp', level, problem)]
  return [
    row('csp', level, `${text ?? status}${facts}`),
    ...(proxy ? [row('Refused proxy', 'warning', proxy.problem)] : []),
  ]
}

/** @param {any} backend */
function backendRows(backend) {
  const {
    name,
    ready,
    problem,
    version,
    signed_in: signedIn,
    auth_method: method,
    subscription,
    rate_limit: limit,
  } = backend
  const { breaker, last_error: lastError, queue, engines } = backend
  const rows = []
  const facts = [problem ?? (ready ? `Ready${version ? `, version ${version}` : ''}.` : 'Not ready.')]
  if (breaker?.state === 'open') facts.push(' Not asked after failures in a row.')
  const next = breaker?.retry_at ? [' Next try in ', countdown(breaker.retry_at), '.'] : []
  const past = lastError ? [` Last error at ${new Date(lastError.at).toLocaleTimeString()}: ${lastError.message}`] : []
  // Of the edge's tunnel these are its homes.
  const parts = Object.entries(engines ?? {}).map(([part, state]) => `${part}: ${state}`)
  const details = parts.length > 0 ? [element('div', { class: 'quiet' }, parts.join('; '))] : []
  const level = ready ? (problem ? 'warning' : 'ok') : 'bad'
  rows.push(row(name, level, ...facts, ...next, ...(problem ? [] : past), ...details))
  if (signedIn !== undefined) {
    const how = [subscription, method].filter(Boolean).join(', ')
    rows.push(
      signedIn
        ? row(`${name}: login`, 'ok', `Signed in${how ? ` (${how})` : ''}.`)
        : row(`${name}: login`, 'bad', 'Signed out. Run claude on this machine and type /login.'),
    )
  }
  for (const window of limit ? (limit.windows ?? [limit]) : []) rows.push(windowRow(name, window))
  if (queue) rows.push(queueRow(`${name}: queue`, queue))
  return rows
}

/**
 * @param {string} name
 * @param {any} window
 */
function windowRow(name, { status, window, utilization, resets_at: resetsAt }) {
  const title =
    { five_hour: 'limit of 5 hours', seven_day: 'limit of 7 days' }[String(window)] ?? `limit ${window ?? ''}`
  /** @type {Level} */
  const level = status === 'rejected' ? 'bad' : status === 'allowed_warning' ? 'warning' : 'ok'
  const used =
    typeof utilization === 'number'
      ? [meter(utilization, title), ` ${Math.round(utilization * 100)}% used.`]
      : ['Within it.']
  const rest = status === 'rejected' ? ['Reached.'] : used
  return row(`${name}: ${title}`, level, ...rest, ...(resetsAt ? [' Ends in ', countdown(resetsAt), '.'] : []))
}

/**
 * @param {number} part
 * @param {string} title
 */
function meter(part, title) {
  return element('meter', { min: '0', max: '1', high: '0.8', value: String(part), 'aria-label': title })
}

/**
 * @param {string} name
 * @param {any} queue
 */
function queueRow(name, queue) {
  const { running, waiting, concurrency, capacity, estimated_wait_seconds: wait } = queue
  const isFull = waiting >= capacity
  const facts = `${running} of ${concurrency} places taken, ${waiting} waiting.${wait ? ` A search that comes now waits about ${Math.round(wait)} s.` : ''}`
  return row(name, isFull ? 'bad' : waiting > 0 ? 'warning' : 'ok', facts)
}

/** @param {any} health */
function restRows({ backends, gateway, queue, cache, budget, tunnel }) {
  const rows = []
  for (const { name, ready, problem, cached_share: share } of gateway ?? []) {
    const cached = typeof share === 'number' ? ` ${Math.round(share * 100)}% of its input came from a cache.` : ''
    rows.push(row(`Upstream ${name}`, ready ? 'ok' : 'bad', `${problem ?? (ready ? 'Ready.' : 'Not ready.')}${cached}`))
  }
  // With one backend its queue is this one.
  if (queue && !(backends ?? []).some((/** @type {any} */ each) => each.queue)) rows.push(queueRow('Queue', queue))
  if (cache) {
    const { hits, stale, misses, problem } = cache
    rows.push(
      row(
        'Cache',
        problem ? 'warning' : 'ok',
        problem ??
          `${hits} of ${hits + stale + misses} from the cache${stale ? `, ${stale} older ones` : ''}, since the start.`,
      ),
    )
  }
  for (const limit of budget?.limits ?? []) rows.push(limitRow(limit))
  const trouble = budget?.problem ?? budget?.warning
  if (trouble) rows.push(row('Budget', 'warning', trouble))
  if (tunnel) {
    const { url, home, connected, connected_since: since, last_error: error, served, running } = tunnel
    const facts = connected
      ? `Connected to ${url} as ${home}${since ? ` since ${new Date(since).toLocaleString()}` : ''}; ${served} served, ${running} running.`
      : `Not connected to ${url}: ${error ?? 'no reason given'}. It keeps trying.`
    rows.push(row('Tunnel', connected ? 'ok' : 'bad', facts))
  }
  return rows
}

/** @param {any} limit */
function limitRow({ key, kind, window, limit, used, left, resets_at: resetsAt }) {
  const name = `${key ? `${key}: ` : 'Budget: '}${kind} by ${window}`
  const level = left === 0 ? 'bad' : used / limit > 0.8 ? 'warning' : 'ok'
  return row(name, level, meter(used / limit, name), ` ${used} of ${limit}.`, ' Ends in ', countdown(resetsAt), '.')
}

/** @param {any} usage */
function usageRows(usage) {
  if (!usage) return []
  const own = (usage.limits ?? []).filter((/** @type {any} */ { key }) => key !== null).map(limitRow)
  const [today] = usage.days ?? []
  if (!today) return own
  const { requests, searches, failures } = today
  return [
    ...own,
    row(
      'Today',
      'ok',
      `${count(requests, 'request')}, ${count(searches, 'search', 'searches')}, ${count(failures, 'failure')} (UTC).`,
    ),
  ]
}

/** @param {number} seconds */
function hours(seconds) {
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ${Math.floor(seconds / 60) % 60} min`
  return `${Math.floor(seconds / 86_400)} d ${Math.floor(seconds / 3600) % 24} h`
}

/**
 * @param {number} number
 * @param {string} one
 */
function count(number, one, many = `${one}s`) {
  return `${number} ${number === 1 ? one : many}`
}
