export const news = [
  'The harbour of Bekkerwich was closed to all boats on Monday morning after a fishing vessel struck the northern mole, and the harbour master said that it would not open again before the end of the week.',
  'Divers who went down in the afternoon found a gap of four metres in the stones, which the spring tide would widen if nothing was done, and they marked it with two yellow buoys.',
  'The council met in the evening and voted for a repair that is to begin in March, although three of its members asked for a second opinion from engineers outside the town.',
  'Owners of boats may use the quay on the southern side until then; the ferry to the islands leaves from there as well, an hour later than its timetable says.',
  'Nobody was hurt. The vessel was towed to the yard, where its owner expects it to stay until the summer, and the insurer has sent a surveyor to look at the hull.',
]
export const tech = [
  'When we moved the service to the new cluster we found that the old deployment file no longer worked, because the scheduler had changed the way in which it reads limits. This article tells what we changed, and why.',
  'The first thing to do is to install the tool on your own machine. It is a single binary without any dependencies, and the maintainers sign every release, so check the signature before you run it for the first time.',
  'After that you need a configuration file. The names of the keys have changed since the last version, and the old ones are silently ignored, which is what cost us most of the first day of the migration.',
  'Run the check before you deploy anything. It prints a line for each rule that it knows and stops at the first that fails, so that you can mend the rules one after the other without reading a long report.',
  'Look at the latency of the first requests when everything is up. Ours doubled for a minute and then fell under what it had been before, because the pods now start with warm caches on every node.',
]
export const health = [
  'Adults who take the tablets for the first time should begin with the lower dose, because some people feel dizzy in the first days and should not drive until they know how they react to it.',
  'Take it with a glass of water, in the morning or in the evening, but always at about the same time. It does not matter whether you have eaten before, and you may cut the tablet in half.',
  'If you have forgotten a dose, take it as soon as you remember, unless it is nearly time for the next one. Never take two at once, and tell your doctor if it happens more than twice in a week.',
  'Some medicines change how it works. Among them are common painkillers, so ask at the pharmacy before you buy one, and show the list of everything that you take, herbs included.',
  'Call for help at once if your face swells or if breathing becomes hard. Such reactions are rare, and most people who had one were given the tablets again later under supervision.',
]
export const texts = { news, tech, health }
export const esc = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

export function page(
  inner: string,
  { title = 'What we know about it', head = '', cms = false, h1 = true, bodyEnd = '' } = {},
): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title} - Example</title>${head}</head><body><header><nav><a href="/">Home</a> <a href="/blog">Blog</a> <a href="/about">About</a></nav></header><main><article${cms ? ' class="post hentry"' : ''}>${h1 ? `<h1>${title}</h1>` : ''}<div${cms ? ' class="entry-content"' : ''}>${inner}</div></article></main><footer><p>© 2026 Example</p></footer>${bodyEnd}</body></html>`
}
export const around = (ps: readonly string[], at: number, part: string, headings = true) =>
  ps.map((p, i) => `${headings ? `<h2>Part ${i + 1}</h2>` : ''}<p>${p}</p>${i === at ? part : ''}`).join('\n')

export const grid = (text: string) => text.split('\n').map((row) => row.split('|').map((cell) => cell.trim()))
export const tr = (row: readonly string[], tag = 'td') =>
  `<tr>${row.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`
export const headed = (text: string, open = '<table>') => {
  const [head = [], ...rows] = grid(text)
  return `${open}<thead>${tr(head, 'th')}</thead><tbody>${rows.map((row) => tr(row)).join('')}</tbody></table>`
}
