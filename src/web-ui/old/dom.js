// Elements and texts. Whatever comes from csp, a model or a page is set as text, never as markup.

/**
 * @param {string} tag
 * @param {Record<string, string>} attributes
 * @param {...(Node | string)} children
 * @returns {HTMLElement}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}

/**
 * An element of SVG.
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {...(Node | string)} children
 */
export function drawing(tag, attributes, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value))
  made.append(...children)
  return made
}

/**
 * Sets what an element holds, unless it holds that already: a selection and the focus would be lost. What is scrolled
 * stays where it is.
 * @param {HTMLElement} place
 * @param {...(Node | string)} children
 */
export function update(place, ...children) {
  const made = place.cloneNode()
  if (!(made instanceof HTMLElement)) return
  made.append(...children)
  if (made.isEqualNode(place)) return
  const top = place.querySelector('.scroll')?.scrollTop ?? 0
  place.replaceChildren(...made.childNodes)
  const scrolled = place.querySelector('.scroll')
  if (scrolled) scrolled.scrollTop = top
}

/**
 * A text in which `…` is code, and a time in ISO 8601 is shown in the zone of the reader.
 * @param {string} text
 * @returns {readonly (Node | string)[]}
 */
export function withCode(text) {
  return text
    .split(/`([^`]+)`/)
    .flatMap((part, index) =>
      index % 2
        ? element('code', {}, part)
        : part.split(/(\b\d{4}-\d\d-\d\dT[\d:.]{8,12}Z)/).map((piece, at) => (at % 2 ? moment(piece) : piece)),
    )
}

/**
 * The element of the page with this id.
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
export function byId(id, type) {
  const found = document.getElementById(id)
  if (found instanceof type) return found
  throw new Error(`The page has no ${id}.`)
}

/**
 * A link that opens a page of the web; its text alone where the address is none.
 * @param {string} url
 * @param {string} text
 * @param {Record<string, string>} attributes
 */
export function webLink(url, text, attributes = {}) {
  if (!isWebAddress(url)) return element('span', attributes, text)
  return element('a', { ...attributes, href: url, target: '_blank', rel: 'noopener noreferrer' }, text)
}

/** @param {string} url */
export function isWebAddress(url) {
  try {
    return /^https?:$/.test(new URL(url).protocol)
  } catch {
    return false
  }
}

/** @param {number} ms */
export function duration(ms) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

/**
 * The time from now until then, for people: `in 2 h 13 min`, `5 min ago`, `now`.
 * @param {string} then
 */
export function fromNow(then) {
  const seconds = Math.round((Date.parse(then) - Date.now()) / 1000)
  if (!(Math.abs(seconds) >= 1)) return 'now'
  return seconds > 0 ? `in ${span(seconds)}` : `${span(-seconds)} ago`
}

/** @param {number} seconds */
export function span(seconds) {
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ]
  if (days > 0) return `${days} d ${hours} h`
  if (hours > 0) return `${hours} h ${minutes} min`
  if (minutes > 0) return `${minutes} min`
  return `${seconds} s`
}

/**
 * A point in time in the zone of the reader, `16:06 (in 59 min)`, which stays true once `tick` is called.
 * @param {string} then
 */
export function moment(then) {
  const time = new Date(then)
  const isToday = time.toDateString() === new Date().toDateString()
  const clock = time.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  const date = isToday ? '' : `${time.toLocaleDateString([], { day: 'numeric', month: 'short' })}, `
  const relative = element('span', { class: 'from-now', 'data-then': then }, fromNow(then))
  return element('time', { datetime: then }, `${date}${clock} (`, relative, ')')
}

export function tick() {
  for (const shown of document.querySelectorAll('.from-now')) {
    shown.textContent = fromNow(shown.getAttribute('data-then') ?? '')
  }
}
