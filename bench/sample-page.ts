const sentence =
  'Harbour seals <a href="/rest">rest</a> on the ice for hours, and dive for <b>fish</b> and crabs, as a rule; see below. '

/** An article of some length, with a menu, sections, lists and links. */
export function samplePage(bytes: number): string {
  const paragraph = `<div class="text block"><p id="p">${sentence.repeat(4)}</p></div>\n`
  const menu = '<li class="menu-item"><a href="/menu">An entry of the menu</a></li>'.repeat(150)
  const list = `<ul>${`<li>${sentence}</li>`.repeat(5)}</ul>`
  const head = '<title>Seals</title><meta property="article:published_time" content="2026-05-04">'
  const start = `<!doctype html><html lang="en"><head>${head}</head><body><nav><ul>${menu}</ul></nav><article><h1>Seals</h1>`
  const section = `<h2>A section</h2>${paragraph.repeat(5)}${list}`
  return `${start}${section.repeat(Math.ceil((bytes - start.length) / section.length))}</article></body></html>`
}
