// The state of csp: a line in words, and a row for each part, as `/health` describes them.

import { byId, element, moment, update, withCode } from './dom.js'
import { offerSignIn } from './sign-in.js'

/** @typedef {'ok' | 'warning' | 'bad'} Level */
/** @typedef {{name: string, level: Level, text: string, details?: string[], used?: number, action?: 'sign-in', when?: {label: string, at: string}}} Row */

/** @type {Record<Level, string>} */
const marks = { ok: 'OK', warning: 'Look', bad: 'Problem' }

/** @type {Record<string, [Level, string]>} */
const verdicts = { ok: ['ok', 'Works'], degraded: ['warning', 'Degraded'], down: ['bad', 'Down'] }

/**
 * @param {any} health
 * @param {any} usage absent without a key
 */
export function showState(health, usage) {
  /** @type {Row[]} */
  const rows = [...(health.rows ?? [keylessRow(health)]), ...usageRows(usage)]
  const troubles = rows.slice(1).filter(({ level }) => level !== 'ok')
  const isLimited = health.searches?.status === 'limited'
  // One line says it where nothing is wrong. Otherwise what is wrong stands below it.
  update(byId('state-line', HTMLElement), ...inOneLine(rows[0]?.text ?? '', isLimited ? [] : troubles))
  update(byId('troubles', HTMLElement), ...troubles.map(shownRow))
  const reserves = new Map((health.backends ?? []).map((/** @type {any} */ { name, plan }) => [name, plan?.reserve]))
  update(
    byId('gauges', HTMLElement),
    ...rows
      .filter(({ used }) => used !== undefined)
      .map((row) => gauge(row, reserves.get(row.name.split(' ')[0] ?? ''))),
  )
  update(byId('rows', HTMLElement), ...rows.slice(1).map(shownRow))
  offerSignIn(rows.some(({ action }) => action === 'sign-in'))
  byId('state-rest', HTMLElement).hidden = rows.length < 2
  byId('state', HTMLElement).classList.remove('past', 'asking')
  byId('below', HTMLElement).classList.remove('asking')
  const [level, text] = verdicts[health.status] ?? ['bad', 'Unknown']
  const bad = troubles.filter((row) => row.level === 'bad')
  if (isLimited) showStatus('bad', 'No new searches')
  else if (health.searches?.status === 'signed-out') showStatus('bad', 'Signed out')
  // A limit of this key alone.
  else if (level === 'ok' && bad.some(({ used = 0 }) => used >= 1)) showStatus('warning', 'Limit reached')
  else if (level === 'ok' && bad.length > 0) showStatus('warning', 'Look')
  else showStatus(level, text)
}

/**
 * What is wrong and what to do, before what is always there.
 * @param {string} whole
 * @param {readonly Row[]} troubles
 */
function inOneLine(whole, troubles) {
  const [state = '', version = ''] = whole.split(/(?=Version )/)
  const worst = troubles.find(({ action }) => action) ?? troubles.find(({ level }) => level === 'bad') ?? troubles[0]
  const advice = element('span', {}, ...(worst ? adviceFor(worst) : []))
  return [...withCode(state), advice, ' ', element('span', { class: 'quiet' }, version)]
}

/**
 * What is wrong, and what to do: wait until a time, what the text names, or ask for more.
 * @param {Row} row
 */
function adviceFor({ name, text, action, when }) {
  if (action) return [`${text.split('. ')[0]}. Sign in below.`]
  const said = withCode(`${name}: ${text}`)
  if (when) return [...said, ` ${when.label} at `, moment(when.at), '.']
  return /csp |--/.test(text) ? said : [...said, ' ', ...withCode('`csp doctor` on its machine says more.')]
}

/** What the rows say was so once, and may be otherwise now. */
export function showNoAnswer() {
  showStatus('bad', 'No answer')
  const state = byId('state', HTMLElement)
  if (state.classList.contains('past')) return
  const time = new Date().toLocaleTimeString()
  byId('state-line', HTMLElement).textContent =
    `No answer since ${time}. This page keeps asking; the rest is how it was.`
  state.classList.remove('asking')
  byId('below', HTMLElement).classList.remove('asking')
  state.classList.add('past')
}

/**
 * @param {Level} level
 * @param {string} text
 */
function showStatus(level, text) {
  const badge = byId('status', HTMLElement).querySelector('.badge')
  if (!badge || (badge.textContent === text && badge.classList.contains(level))) return
  badge.className = `badge ${level}`
  badge.textContent = text
}

/** @param {Row} row */
function shownRow({ name, level, text, details = [], used, when }) {
  return element(
    'div',
    {},
    element('dt', {}, name),
    element(
      'dd',
      {},
      ...(level === 'ok' ? [] : [element('span', { class: `badge ${level}` }, marks[level]), ' ']),
      ...(used === undefined ? [] : [meter(used, name), ' ']),
      ...withCode(text),
      ...(when ? [` ${when.label} at `, moment(when.at), '.'] : []),
      ...details.map((each) => element('div', { class: 'quiet' }, each)),
    ),
  )
}

/**
 * A limit as a bar, with the part that is kept for the owner of the plan.
 * @param {Row} row
 * @param {number | undefined} reserve 0 to 1
 */
function gauge({ name, level, used = 0, text, when }, reserve) {
  const percent = `${Math.round(used * 100)}%`
  const bar = element('div', { class: 'gauge-bar' }, element('span', { class: level }))
  if (bar.firstElementChild instanceof HTMLElement) bar.firstElementChild.style.width = percent
  if (reserve) {
    const kept = element('span', { class: 'kept', title: `The last ${Math.round(reserve * 100)}% is kept for you` })
    kept.style.width = `${reserve * 100}%`
    bar.append(kept)
  }
  const label = name[0]?.toUpperCase() + name.slice(1)
  return element(
    'div',
    { class: 'gauge' },
    element('p', { class: 'gauge-head' }, element('span', {}, label), element('strong', {}, percent)),
    bar,
    element('p', { class: 'quiet' }, ...(when ? [`${when.label} `, moment(when.at)] : [text])),
  )
}

/**
 * @param {number} part
 * @param {string} title
 */
function meter(part, title) {
  return element('meter', {
    min: '0',
    max: '1',
    low: '0.8',
    high: '0.99',
    optimum: '0',
    value: String(part),
    'aria-label': title,
  })
}

/**
 * @param {any} health
 * @returns {Row}
 */
function keylessRow({ status, problem }) {
  /** @type {Record<string, string>} */
  const texts = { ok: 'It works.', degraded: 'Not everything works.', down: 'Nothing works now.' }
  // Behind a proxy csp says nothing else without keys.
  const text = problem ?? `${texts[status] ?? status} A key shows the rest.`
  return { name: 'csp', level: (verdicts[status] ?? ['bad'])[0], text }
}

/**
 * @param {any} usage
 * @returns {Row[]}
 */
function usageRows(usage) {
  if (!usage) return []
  const own = (usage.limits ?? []).filter((/** @type {any} */ { key }) => key !== null).map(limitRow)
  const [today] = usage.days ?? []
  if (!today) return own
  const { requests, searches, failures } = today
  const text = `${count(requests, 'request')}, ${count(searches, 'search', 'searches')}, ${count(failures, 'failure')} (UTC).`
  return [...own, { name: 'Today', level: 'ok', text }]
}

/**
 * @param {any} limit
 * @returns {Row}
 */
function limitRow({ key, kind, window, limit, used, left, resets_at: at }) {
  const level = left === 0 ? 'bad' : used >= limit * 0.8 ? 'warning' : 'ok'
  const part = limit > 0 ? Math.min(1, used / limit) : 1
  const when = { label: 'Resets', at }
  return { name: `${key}: ${kind} a ${window}`, level, text: `${used} of ${limit}.`, used: part, when }
}

/**
 * @param {number} number
 * @param {string} one
 */
function count(number, one, many = `${one}s`) {
  return `${number} ${number === 1 ? one : many}`
}
