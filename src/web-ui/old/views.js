// The views of the page, each with an address of its own: `#state`, `#clients`, `#data`; any other is the search.

const names = ['state', 'clients', 'data']

/** @param {(view: string) => void} onChange hears of each view that is shown, the first one too */
export function setUpViews(onChange) {
  let shown = ''
  const show = () => {
    const wanted = location.hash.slice(1)
    const view = names.includes(wanted) ? wanted : 'search'
    if (view === shown) return
    for (const part of document.querySelectorAll('[data-view]'))
      part.classList.toggle('current', part.getAttribute('data-view') === view)
    for (const link of document.querySelectorAll('nav a')) {
      if (link.getAttribute('href') === `#${view}`) link.setAttribute('aria-current', 'page')
      else link.removeAttribute('aria-current')
    }
    if (shown) scrollTo(0, 0)
    shown = view
    onChange(view)
  }
  addEventListener('hashchange', show)
  show()
}
