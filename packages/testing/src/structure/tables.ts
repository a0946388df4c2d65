import { type StructureCase, url } from './case.ts'
import { around, grid, headed, news, page, tech, texts, tr } from './pages.ts'

const tableKinds: Readonly<Record<string, readonly [string, (text: string) => string]>> = {
  specs: [
    'Built|1871\nLength|412 m\nBoats|11',
    (t) =>
      `<table><tbody>${grid(t)
        .map(([a = '', b = '']) => `<tr><th scope="row">${a}</th><td>${b}</td></tr>`)
        .join('')}</tbody></table>`,
  ],
  nums: ['Year|In|Out\n1871|120|118\n1953|0|4\n2024|815|809', headed],
  prices: [
    'Mooring|12 €\nWater|1 €\nPower|3 €',
    (t) =>
      `<table>${grid(t)
        .map((r) => tr(r))
        .join('')}</table>`,
  ],
  bench: ['Model|Score|ms\nalpha-7b|71.2|310\nbeta-13b|74.9|540', (t) => headed(t, '<table class="table">')],
  yesno: ['Feature|Free|Pro\nSearch|yes|yes\nExport|no|yes', headed],
  dose: ['Weight|Dose\nunder 50 kg|2.5 mg\n50 to 80 kg|5 mg\nover 80 kg|10 mg', headed],
  wrap: ['Port|Protocol\n22|ssh\n443|https', (t) => `<div class="table-wrapper">${headed(t)}</div>`],
  figure: [
    'Keel|oak\nDeck|larch',
    (t) =>
      `<figure class="wp-block-table"><table><tbody>${grid(t)
        .map(([a = '', b = '']) => tr([`<strong>${a}</strong>`, b]))
        .join('')}</tbody></table></figure>`,
  ],
  cities: [
    'City|Country|Population|Area\nParis|France|2,102,650|105.4\nRome|Italy|2,748,109|1285\nBerlin|Germany|3,755,251|891.7\nMadrid|Spain|3,332,035|604.3\nVienna|Austria|2,005,760|414.8',
    headed,
  ],
}
export function* tableCases(): Generator<StructureCase> {
  for (const [kind, [text, build]] of Object.entries(tableKinds))
    for (const [name, ps] of Object.entries(texts))
      for (const at of [1, 4])
        for (const cms of [false, true])
          yield {
            set: 'tables',
            name: `table-${kind}-${name}-${at}-${cms ? 'cms' : 'plain'}`,
            url,
            html: page(around(ps, at, build(text)), { cms }),
            expect: { tables: [grid(text)] },
          }
}

const spanKinds: Readonly<Record<string, readonly [html: string, text: string]>> = {
  rowspanFirst: [
    '<table><thead><tr><th>Region</th><th>Town</th><th>Boats</th></tr></thead><tbody><tr><td rowspan="2">North</td><td>Aldhaven</td><td>1,204</td></tr><tr><td>Bekkerwich</td><td>2,310</td></tr><tr><td>South</td><td>Corbay</td><td>977</td></tr></tbody></table>',
    'Region|Town|Boats\nNorth|Aldhaven|1,204\n*|Bekkerwich|2,310\nSouth|Corbay|977',
  ],
  rowspanMiddle: [
    '<table><tr><th>Name</th><th>Class</th><th>Length</th></tr><tr><td>Ada</td><td rowspan="3">Trawler</td><td>24</td></tr><tr><td>Bea</td><td>26</td></tr><tr><td>Cleo</td><td>31</td></tr></table>',
    'Name|Class|Length\nAda|Trawler|24\nBea|*|26\nCleo|*|31',
  ],
  rowspanZero: [
    '<table><thead><tr><th>Group</th><th>Item</th><th>Count</th></tr></thead><tbody><tr><td rowspan="0">Ropes</td><td>hemp</td><td>40</td></tr><tr><td>nylon</td><td>65</td></tr></tbody></table>',
    'Group|Item|Count\nRopes|hemp|40\n*|nylon|65',
  ],
  rowspanLast: [
    '<table><tr><th>Day</th><th>Tide</th><th>Harbour</th></tr><tr><td>Monday</td><td>4.1</td><td rowspan="2">Corbay</td></tr><tr><td>Tuesday</td><td>4.4</td></tr></table>',
    'Day|Tide|Harbour\nMonday|4.1|Corbay\nTuesday|4.4|*',
  ],
  colspanBody: [
    '<table><tr><th>Year</th><th>In</th><th>Out</th></tr><tr><td>2023</td><td colspan="2">closed</td></tr><tr><td>2024</td><td>815</td><td>809</td></tr></table>',
    'Year|In|Out\n2023|closed|*\n2024|815|809',
  ],
  headTwoRows: [
    '<table><thead><tr><th rowspan="2">Town</th><th colspan="2">Boats</th></tr><tr><th>2023</th><th>2024</th></tr></thead><tbody><tr><td>Corbay</td><td>97</td><td>102</td></tr><tr><td>Aldhaven</td><td>120</td><td>118</td></tr></tbody></table>',
    '*|*|*\n*|2023|2024\nCorbay|97|102\nAldhaven|120|118',
  ],
  bothSpans: [
    '<table><tr><th>A</th><th>B</th><th>C</th><th>D</th></tr><tr><td rowspan="2" colspan="2">merged</td><td>c1</td><td>d1</td></tr><tr><td>c2</td><td>d2</td></tr></table>',
    'A|B|C|D\nmerged|*|c1|d1\n*|*|c2|d2',
  ],
  emptyCells: [
    '<table><tr><th></th><th>Free</th><th>Pro</th></tr><tr><td>Search</td><td></td><td>yes</td></tr><tr><td>Export</td><td>no</td><td></td></tr></table>',
    '*|Free|Pro\nSearch|*|yes\nExport|no|*',
  ],
  raggedRows: [
    '<table><tr><th>K</th><th>V</th><th>Note</th></tr><tr><td>one</td><td>1</td></tr><tr><td>two</td><td>2</td><td>even</td></tr></table>',
    'K|V|Note\none|1|*\ntwo|2|even',
  ],
  pipes: [
    '<table><tr><th>Operator</th><th>Meaning</th></tr><tr><td><code>a | b</code></td><td>either</td></tr><tr><td><code>a &amp; b</code></td><td>both</td></tr></table>',
    'Operator|Meaning\n~a {pipe} b~|either\n~a & b~|both',
  ],
  listInCell: [
    '<table><tr><th>Plan</th><th>Has</th></tr><tr><td>Free</td><td><ul><li>search</li><li>export</li></ul></td></tr><tr><td>Pro</td><td><ul><li>support</li><li>backups</li></ul></td></tr></table>',
    'Plan|Has\nFree|{has}search export\nPro|{has}support backups',
  ],
  divsInCell: [
    '<table><tr><th>Town</th><th>Hours</th></tr><tr><td>Corbay</td><td><div>Mon 9 to 5</div><div>Tue 9 to 3</div></td></tr><tr><td>Aldhaven</td><td><p>Wed 8 to 2</p><p>Thu 8 to 4</p></td></tr></table>',
    'Town|Hours\nCorbay|{has}Mon 9 to 5 Tue 9 to 3\nAldhaven|{has}Wed 8 to 2 Thu 8 to 4',
  ],
  caption: [
    '<table><caption>Boats in the year</caption><tr><th>Year</th><th>Boats</th></tr><tr><td>2023</td><td>977</td></tr><tr><td>2024</td><td>809</td></tr></table>',
    'Year|Boats\n2023|977\n2024|809',
  ],
}
export function* spanCases(): Generator<StructureCase> {
  for (const [kind, [html, text]] of Object.entries(spanKinds))
    for (const [name, ps] of Object.entries({ news, tech }))
      yield {
        set: 'spans',
        name: `span-${kind}-${name}`,
        url,
        html: page(around(ps, 2, html)),
        expect: { tables: [grid(text)] },
      }
}

export function* layoutCases(): Generator<StructureCase> {
  const forms: Readonly<Record<string, (inner: string) => string>> = {
    one: (inner) =>
      `<table width="600" border="0" cellpadding="0"><tr><td width="60"><img src="/spacer.gif"></td><td>${inner}</td></tr></table>`,
    nested: (inner) =>
      `<table><tr><td><table><tr><td><a href="/">Home</a></td></tr><tr><td><a href="/a">Essays</a></td></tr></table></td><td><table><tr><td>${inner}</td></tr></table></td></tr></table>`,
    role: (inner) => `<table role="presentation"><tbody><tr><td>${inner}</td></tr></tbody></table>`,
  }
  for (const [form, build] of Object.entries(forms))
    for (const [name, ps] of Object.entries(texts)) {
      const inner = `<h2>The state of the mole</h2>${ps
        .slice(0, 3)
        .map((p) => `<p>${p}</p>`)
        .join(
          '',
        )}<blockquote>It will be repaired before the summer, said the master.</blockquote><ul><li>first of the list</li><li>second of the list</li></ul>${headed('Year|Boats\n2023|977\n2024|809')}<p>${ps[4]}</p>`
      const html = `<!doctype html><html><head><title>What we know</title></head><body>${build(inner)}</body></html>`
      yield {
        set: 'layout',
        name: `layout-${form}-${name}`,
        url,
        html,
        expect: {
          tables: [grid('Year|Boats\n2023|977\n2024|809')],
          headings: ['The state of the mole'],
          listTree: [
            ['-', 0, 'first of the list'],
            ['-', 0, 'second of the list'],
          ],
          quotes: ['It will be repaired before the summer'],
          hasNot: ['<table', '<ul', '<h2'],
        },
      }
    }
}
