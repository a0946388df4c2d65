import { Grounding } from '@csp/grounding/grounding'

/** Measures grounding alone: an answer of 50 pieces, and long texts of the kinds that cost the most for each character. */
const sources = Array.from({ length: 10 }, (_, index) => ({
  url: `https://example.com/${index}`,
  title: `Page ${index}`,
}))
const sentence =
  'Harbour seals rest on the ice for hours [1], and dive for fish & crabs (as a rule) [2][3]; see **below**.\n'
const answer = sentence.repeat(20)
const pieces = answer.match(/.{1,42}/gs) ?? []

function ground(parts: readonly string[]): number {
  const grounding = new Grounding()
  grounding.addSources(sources)
  let length = 0
  for (const part of parts) length += grounding.push(part).length
  return length + grounding.end().length
}

/** Processor time, of the fastest round: what else the machine does has no part in it. */
function milliseconds(work: () => unknown, rounds: number): number {
  for (let round = 0; round < rounds / 4; round++) work()
  const times = Array.from({ length: rounds }, () => {
    const used = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(used)
    return (user + system) / 1000
  })
  return Math.min(...times)
}

const line = (name: string, ms: number) => process.stdout.write(`${name.padEnd(40)} ${ms.toFixed(3)} ms\n`)
line(
  `an answer of ${pieces.length} pieces`,
  milliseconds(() => ground(pieces), 400),
)
for (const [name, unit] of Object.entries({
  prose: sentence,
  '<': '<',
  '](': '](',
  '&': '&',
  '`': '`',
  '[x]: ': '[x]: ',
  '//': '//a ',
})) {
  const times = [50_000, 100_000, 200_000].map((size) => {
    const parts = unit.repeat(size / unit.length).match(/.{1,40}/gs) ?? []
    return milliseconds(() => ground(parts), 12)
  })
  line(`50, 100, 200 kB of ${JSON.stringify(name)}`, times[2] ?? 0)
  process.stdout.write(`    ${times.map((time) => time.toFixed(1)).join(', ')}\n`)
}
