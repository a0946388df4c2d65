import { Tiktoken } from 'js-tiktoken/lite'
import cl100k from 'js-tiktoken/ranks/cl100k_base'
import o200k from 'js-tiktoken/ranks/o200k_base'

/**
 * Counts what the model writes for a list of ten with excerpts, by the part of the reply. The tokenizers of the models
 * that csp asks are not public: these are two others, which agree within 1 %.
 */
const rows: readonly (readonly [url: string, site: string, date: string, excerpt: string])[] = [
  [
    'https://en.wikipedia.org/wiki/Harbor_seal',
    'wikipedia',
    '2026-08-14',
    'Harbor seals are found along temperate and Arctic coasts of the Northern Hemisphere, and spend about half of their time on land.',
  ],
  [
    'https://www.nationalgeographic.com/animals/mammals/facts/harbor-seal',
    'nationalgeographic',
    '2025-11-03',
    'When sleeping in the water, harbor seals float vertically, and can dive to 1,500 feet for up to 40 minutes, though most dives last three to seven.',
  ],
  [
    'https://www.fisheries.noaa.gov/species/harbor-seal',
    'noaa',
    '2026-02-20',
    'Harbor seals haul out on rocks, reefs, beaches and drifting ice to rest, regulate their temperature, give birth, and nurse their pups.',
  ],
  [
    'https://www.marinemammalcenter.org/animal-care/learn-about-marine-mammals/pinnipeds/pacific-harbor-seal',
    'marinemammalcenter',
    '?',
    'The total population in the eastern Pacific is estimated to be 330,000, and in California, where it is growing, about 40,000.',
  ],
  [
    'https://www.theguardian.com/environment/2026/sep/12/common-seal-decline-east-coast-england',
    'theguardian',
    '2026-09-12',
    'Counts in the Wash show a fall of 38% since 2018, and scientists do not yet know what causes it. Competition with grey seals is one candidate.',
  ],
  [
    'https://ocean.si.edu/ocean-life/marine-mammals/seals-sea-lions-and-walruses',
    'si',
    '2024-04-30',
    'True seals lack external ears and cannot rotate their hind flippers underneath their bodies, so on land they wriggle on their bellies.',
  ],
  [
    'https://www.iucnredlist.org/species/17013/45229114',
    'iucnredlist',
    '2025-06-01',
    'Phoca vitulina is listed as Least Concern. The species is widespread, and most of its populations are stable or increasing, with local declines.',
  ],
  [
    'https://phys.org/news/2026-07-harbor-seals-hearing-noise.html',
    'phys',
    '2026-07-21',
    'Seals that heard recordings of pile driving stopped feeding within 25 km of the source, and came back two hours after the noise had ended.',
  ],
  [
    'https://www.sealsitters.org/marine_mammals/harborseals.html',
    'sealsitters',
    '?',
    'Pups are weaned at four to six weeks, and by then have doubled their weight; up to half of them do not survive their first year.',
  ],
  [
    'https://doi.org/10.1111/mms.13021',
    'doi',
    '2023-05-17',
    'We tracked 31 adults with satellite tags and found that haul-out duration fell by 12 minutes for each degree of air temperature above 18 C.',
  ],
]

type Row = (typeof rows)[number]
const host = ([url]: Row) => new URL(url).hostname.replace(/^www\./, '')
const forms: Readonly<Record<string, (row: Row, number: number) => string>> = {
  'URL | YYYY-MM-DD | excerpt': ([url, , date, excerpt]) => `${url} | ${date} | ${excerpt}`,
  'NUMBER HOST | YYYY-MM-DD | excerpt': (row, number) => `${number} ${host(row)} | ${row[2]} | ${row[3]}`,
  'NUMBER SITE|YYYYMMDD|excerpt': ([, site, date, excerpt], number) =>
    `${number} ${site}|${date.replaceAll('-', '')}|${excerpt}`,
  'of that the URL': ([url]) => url,
  'the number and the host': (row, number) => `${number} ${host(row)}`,
  'the number and the site': ([, site], number) => `${number} ${site}`,
  'YYYY-MM-DD': ([, , date]) => date,
  YYYYMMDD: ([, , date]) => date.replaceAll('-', ''),
  'the excerpt': ([, , , excerpt]) => excerpt,
}
const tokenizers = { o200k: new Tiktoken(o200k), cl100k: new Tiktoken(cl100k) }

for (const [form, write] of Object.entries(forms)) {
  const text = rows.map((row, index) => write(row, index + 1)).join('\n')
  const counts = Object.entries(tokenizers).map(([name, tokenizer]) => `${tokenizer.encode(text).length} (${name})`)
  process.stdout.write(`${form}: ${counts.join(', ')}\n`)
}
