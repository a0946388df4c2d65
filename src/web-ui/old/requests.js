// The last requests, each with a bar of where its time went.

import { latencyChart } from './chart.js'
import { byId, duration, element, update } from './dom.js'

/** @param {readonly any[]} requests */
export function showRequests(requests) {
  const place = byId('requests', HTMLElement)
  if (requests.length === 0) {
    update(place, element('p', { class: 'quiet' }, 'None yet since csp started.'))
    return
  }
  const longest = Math.max(1, ...requests.map(({ ms }) => ms))
  const head = ['Time', 'Request', 'Reply', 'By', 'Queue, upstream, ours'].map((name) =>
    element('th', { scope: 'col' }, name),
  )
  const rows = requests.map((request) => row(request, longest))
  const legend = element(
    'p',
    { class: 'quiet legend' },
    ...[
      ['queued', 'queue'],
      ['upstream', 'upstream'],
      ['own', 'ours'],
    ].flatMap(([kind, name]) => [element('span', { class: `key ${kind}` }), ` ${name} `]),
  )
  const table = element('table', {}, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...rows))
  // Without its padding.
  const width = Math.max(240, place.clientWidth - 32)
  update(
    place,
    latencyChart(requests, width),
    legend,
    element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Table of requests' }, table),
  )
}

/**
 * @param {any} request
 * @param {number} longest
 */
function row(request, longest) {
  const isFailed = request.code !== null || request.status >= 400
  const reply = [
    request.status,
    request.code,
    request.cache && `cache ${request.cache}`,
    request.results !== null && `${request.results} results`,
  ]
  const by = [request.backend, request.model ?? request.effort, request.key]
  return element(
    'tr',
    isFailed ? { class: 'failed' } : {},
    element('td', { title: request.at }, new Date(request.at).toLocaleTimeString()),
    element('td', { class: 'path' }, `${request.method} ${request.path}`),
    element('td', {}, reply.filter(Boolean).join(' · ')),
    element('td', {}, by.filter(Boolean).join(' · ')),
    element('td', { class: 'time' }, bar(request, longest), element('span', { class: 'quiet' }, duration(request.ms))),
  )
}

/**
 * @param {any} request
 * @param {number} longest
 */
function bar({ ms, queued_ms: queued, upstream_ms: upstream, own_ms: own }, longest) {
  const [ours, inQueue, atWork] = [own ?? ms, queued ?? 0, upstream ?? 0]
  const label = `queue ${duration(inQueue)}, upstream ${duration(atWork)}, ours ${duration(ours)}`
  const made = element('span', { class: 'bar', role: 'img', 'aria-label': label, title: label })
  made.style.width = `${Math.max(2, (ms / longest) * 100)}%`
  for (const [kind, share] of /** @type {const} */ ([
    ['queued', inQueue],
    ['upstream', atWork],
    ['own', ours],
  ])) {
    const part = element('span', { class: kind })
    part.style.flexGrow = String(share)
    made.append(part)
  }
  const track = element('span', { class: 'track' }, made)
  return track
}
