import { expect, test } from 'bun:test'
import { doubtOf } from '../src/doubts.ts'

/** Each line: the language, a sentence, the sentences of its page, and the doubt about it: its kind, then the words of both. */
const cases = `
en | Anna Bell sued Carl Dorn. | Carl Dorn sued Anna Bell. | order: Bell … Carl
en | Anna sued Carl over boats. | Carl sued Anna over boats. | order: Anna … Carl
en | Anna hit Carl over boats. | Carl hit Anna over boats. | -
en | Anna beat Carl over boats. | Carl beat Anna over boats. | order: Anna … Carl
en | Anna married Carl in Oslo. | Carl married Anna in Rome. | -
en | Anna 2019 Carl. | Carl 2019 Anna. | -
en | Anna Rome sued Carl. | Carl Rome sued Anna. | -
en | Anna sued Carl, Rome. | Carl sued Anna, Rome. | -
en | Anna criticises Carl. | Carl criticised Anna. | order: Anna … Carl
en | Anna helps Carl. | Carl helping Anna. | order: Anna … Carl
en | Anna praise Carl. | Carl praising Anna. | order: Anna … Carl
en | Anna climb Carl. | Carl climbing Anna. | order: Anna … Carl
en | Anna was sued by Carl. | Carl sued Anna. | -
en | Carl was sued by Anna in May. | Anna was sued by Carl in May. | -
en | Carl, by chance rich, sued Anna. | Anna sued Carl. | -
en | Anna c1x d2x e3x f4x g5x h6x i7x j8x k9x l10x m11x sued Carl. | Carl sued Anna. | order: Anna … Carl
en | Anna c1x d2x e3x f4x g5x h6x i7x j8x k9x l10x m11x n12x sued Carl. | Carl sued Anna. | -
en | Anna sued c1x d2x e3x f4x g5x h6x i7x j8x k9x l10x m11x Carl. | Carl sued Anna. | order: Anna … Carl
en | Anna sued c1x d2x e3x f4x g5x h6x i7x j8x k9x l10x m11x n12x Carl. | Carl sued Anna. | -
en | Anna Bo Cy Dan Eli Fay sued Carl. | Carl sued Anna. | order: Anna … Carl
en | Anna Bo Cy Dan Eli Fay Gus sued Carl. | Carl sued Anna. | -
en | Anna sued Anna, Carl. | Carl sued Anna. | -
de | Anna verklagte Carl. | Carl verklagte Anna. | -
de | Anna Bell verklagte Carl Dorn. | Carl Dorn verklagte Anna Bell. | order: Bell … Carl
de | Anna Bell verklagte Carl. | Carl verklagte Anna Bell. | order: Bell … Carl
de | Anna verklagte Carl Dorn. | Carl Dorn verklagte Anna. | order: Anna … Carl
de | Die Anna Bell verklagte den Carl Dorn. | Der Carl Dorn verklagte die Anna Bell. | order: Anna … Carl
de | Der Minister verklagte die Zeitung. | Die Zeitung verklagte den Minister. | order: Minister … Zeitung
de | Die Zeitung verklagte den Minister. | Der Minister verklagte die Zeitung. | order: Zeitung … Minister
de | Der Minister lobt die Zeitung. | Die Zeitung lobt den Minister. | order: Minister … Zeitung
de | Der Minister mag die Zeitung. | Die Zeitung mag den Minister. | -
de | Der Minister verklagte Zeitung. | Zeitung verklagte den Minister. | order: Minister … Zeitung
de | Der Minister verklagte im Dorf die Zeitung. | Die Zeitung verklagte im Dorf den Minister. | order: Minister … Zeitung
de | Der Minister verklagte mit Zeitung. | Zeitung verklagte den Minister. | -
de | Der Minister verklagte 2019. | 2019 verklagte den Minister. | -
de | Der Minister Zeitung verklagte. | Zeitung verklagte den Minister. | -
de | Der Minister wurde verklagt, die Zeitung auch. | Die Zeitung verklagt den Minister. | -
de | Die Zeitung wird verklagt, den Minister. | Der Minister verklagt die Zeitung. | order: Zeitung … Minister
de | Der Minister verklagte die Zeitung. | Die Zeitung verklagte vom Amt den Minister. | -
de | Die Zeitung verklagte von fern den Minister. | Der Minister verklagte die Zeitung. | -
de | Der Minister verklagte die Zeitung. | Der Minister verklagte den Boten der Zeitung. | -
de | Der Minister und der Bote verklagten die Zeitung. | Die Zeitung verklagte den Minister und den Boten. | order: Minister … Zeitung
de | Der Bote rief, der Minister verklagte die Zeitung. | Die Zeitung verklagte den Minister, der Bote rief. | order: Minister … Zeitung
de | Minister verklagte der Zeitung. | Die Zeitung verklagte den Minister. | -
de | Der Minister. | Die Zeitung verklagte den Minister. | -
en | Der Minister verklagte die Zeitung. | Die Zeitung verklagte den Minister. | -
ja | 田中が鈴木を訴えた。 | 鈴木が田中を訴えた。 | order: 田中 … 鈴木
ja | 田中社長が鈴木部長を訴えた。 | 鈴木部長が田中社長を訴えた。 | order: 田中社長 … 鈴木部長
ja | 田中氏が鈴木氏を訴えた。 | 鈴木側が田中側を訴えた。 | order: 田中氏 … 鈴木氏
ja | 田中が鈴木氏を訴えた。 | 鈴木側が田中を訴えた。 | order: 田中 … 鈴木氏
ja | 田中が鈴木を訴えた。 | 鈴木側が田中を訴えた。 | -
ja | 田中社が田中党を訴えた。 | 田中党が田中社を訴えた。 | -
ja | 田中社が田上党を訴えた。 | 田上党が田中社を訴えた。 | order: 田中社 … 田上党
ja | 田中が鈴木に訴えられた。 | 鈴木が田中を訴えた。 | -
ja | 田中が鈴木に会った。 | 鈴木が高橋に会い、田中を見た。 | order: 田中 … 鈴木
ko | 민수가 지영을 고소했다. | 지영이 민수를 고소했다. | order: 민수 … 지영
ko | 김민수가 박지영을 고소했다. | 박지영이 김민수를 고소했다. | order: 김민수 … 박지영
ko | 김민수가 김민지를 고소했다. | 김민지가 김민수를 고소했다. | order: 김민수 … 김민지
ko | 민수가 지영에게 졌다. | 지영이 민수를 이겼다. | opposite: 졌다 / 이겼
ko | 민수가 지영에게서 샀다. | 지영이 민수에게서 샀다. | order: 민수 … 지영
zh | 上海队战胜北京队。 | 北京队战胜上海队。 | order: 海队 … 北京
zh | 上海大队战胜北京大队。 | 北京大队战胜上海大队。 | order: 海大 … 北京
zh | 甲队战胜乙队。 | 乙队战胜甲队。 | -
zh | 上海公司起诉北京公司。 | 北京公司被上海公司起诉。 | -
zh | 上海公司被北京公司起诉。 | 北京公司被上海公司起诉。 | order: 海公 … 北京
zh | 上海公司3比1起诉北京公司。 | 北京公司3比1起诉上海公司。 | order: 海公 … 北京
ru | Иван обогнал Павла по заказам. | Павел обогнал Ивана по заказам. | -
ru | Иван обогнал Павла по заказам. | Павла обогнал Иван по заказам. | -
ru | «Бриг» обогнал «Альтаир» по заказам. | «Альтаир» обогнал «Бриг» по заказам. | order: Бриг … Альтаир
ru | Бриг обогнал Альтаир по заказам. | Альтаир обогнал Бриг по заказам. | -
ru | Бриг обогнал «Альтаир» по заказам. | Альтаир обогнал Бриг по заказам. | order: Бриг … Альтаир
ru | «Бриг» обогнал Альтаир по заказам. | Альтаир обогнал Бриг по заказам. | order: Бриг … Альтаир
ar | اتهمت الحكومة الجديدة النقابة الكبرى بالفساد. | اتهمت النقابة الكبرى الحكومة الجديدة بالفساد. | order: الجديدة … الكبرى
ar | اتهمت الحكومة الجديدة النقابة الكبرى. | اتهمت النقابة الكبرى الحكومة الجديدة. | order: الجديدة … الكبرى
ar | الحكومة الجديدة النقابة الكبرى. | النقابة الكبرى الحكومة الجديدة. | -
ar | قالت الحكومة الجديدة النقابة الكبرى. | ذكرت النقابة الكبرى الحكومة الجديدة. | order: الجديدة … الكبرى
ar | اتهمت الحكومة النقابة. | اتهمت النقابة الحكومة. | -
ar | اتهمت الحكومة الجديدة النقابة. | اتهمت النقابة الحكومة الجديدة. | -
ar | اتهمت الحكومة النقابة الكبرى. | اتهمت النقابة الكبرى الحكومة. | -
ar | اتهمت الحكومة الجديدة النقابة الكبرى من قبل. | اتهمت النقابة الكبرى الحكومة الجديدة. | -
ar | اتهمت الحكومة الجديدة النقابة الكبرى بالفساد اليوم. | اتهمت النقابة الكبرى اليوم الحكومة الجديدة بالفساد. | order: الجديدة … الكبرى
ar | اتهمت الحكومة الوطنية الجديدة النقابة الكبرى. | اتهمت النقابة الكبرى الحكومة الجديدة الوطنية. | -
ar | اتهمت الحكومة الجديدة أمس صباحا مساء النقابة الكبرى. | اتهمت النقابة الكبرى الحكومة أمس صباحا الجديدة. | -
ar | اتهمت الحكومة الجديدة 12 النقابة الكبرى. | اتهمت النقابة الكبرى 12 الحكومة الجديدة. | order: الجديدة … الكبرى
en | The north has 12 mills, the south 30 ships. | The north has 30 mills, the south 12 ships. | opposite: north / south
en | The north has 12 mills, the south 30 ships. | The north has 12 mills, the south 30 ships. | -
en | 12 mills 30. | 30 mills 12. | -
en | 12 mills ships 30. | 30 mills ships 12. | order: 12 … 30
en | 12 mills ships 30. | 30 ships mills 12. | -
en | 12 30 mills ships. | 30 12 mills ships. | -
en | 12 mills, 30 ships, 12 boats. | 30 mills, 12 ships. | -
en | 12 30 mills. | 30 mills 12 ships. | -
en | 12 mills ships docks boats 30. | 30 mills ships docks boats 12. | order: 12 … 30
en | 12 mills ships docks boats 30. | 30 mills ships boats docks 12. | -
en | 12 mills ships docks boats nets 30. | 30 mills ships boats docks nets 12. | order: 12 … 30
en | 12 mills ships docks boats nets 30. | 30 ships mills boats docks nets 12. | -
en | oars a1x b2x c3x d4x e5x 12 mills 30. | oars 30 mills 12. | order: 12 … 30
en | oars a1x b2x c3x d4x e5x f6x 12 mills 30. | oars 30 mills 12. | -
en | 12 mills 30 a1x b2x c3x d4x e5x oars. | 30 mills 12 oars. | order: 12 … 30
en | 12 mills 30 a1x b2x c3x d4x e5x f6x oars. | 30 mills 12 oars. | -
en | 7 mills 12 ships 30 docks. | 7 mills 30 ships 12 docks. | order: 12 … 30
en | 7 mills 12 ships 30 docks. | 30 mills 12 ships 7 docks. | order: 7 … 30
en | Two mills, three ships. | Three mills, two ships. | order: 2 … 3
en | The bridge may be used. | The bridge may not be used. | negation:  / not
en | The bridge may not be used. | The bridge may be used. | negation: not / 
en | No bridge is open. | Nothing is open. | -
en | Not. | The bridge. | -
en | Not a bridge. | A bridge. | negation: Not / 
en | The bridge is not red. | The bridge is red. | negation: not / 
en | The bridge is not old and red. | The bridge is red. | -
en | The bridge is not old, red, wide. | The bridge is wide. | -
en | The old wide bridge is not red today. | The bridge is red. | -
en | The old wide bridge is not red. | The bridge is red. | negation: not / 
en | The wide bridge is not red. | The bridge is blue. | -
en | The wide bridge is not red. | The bridge barely is red. | -
en | The wide bridge is not red. | The bridge is red without doubt, and barely wide. | -
en | The wide bridge, without doubt not red. | The bridge barely is red, wide. | -
en | The bridge is not red. | The bridge is red, and the bridge is not blue. | -
en | The bridge is red. | The bridge is not red. The bridge is red. | -
en | Sales of boats rose in May. | Sales of boats fell in May. | opposite: rose / fell
en | Sales rose. | Sales fell. | opposite: rose / fell
en | Rose. | Fell. | -
en | Sales of boats rose. | Ships of boats fell. | -
en | Sales of boats rose here. | Ships of boats fell there. | -
en | Sales boats nets oars rose. | Sales boats ships docks fell. | opposite: rose / fell
en | Sales boats nets oars mills rose. | Sales boats ships docks fell. | opposite: rose / fell
en | Sales boats nets oars mills locks rose. | Sales boats ships docks fell. | -
en | Sales of 12 boats rose. | Some 12 ships fell. | opposite: rose / fell
en | Sales of boats rose in May. | Sales of boats fell in May, but sales of boats rose in June. | opposite: rose / fell
en | Sales of boats rose in May. | Sales of boats fell in May, but sales rose in June. | opposite: rose / fell
en | Sales of boats rose in May. | Sales of boats rose in May, but sales fell in June. | -
en | Sales of boats rose in May. | Sales of boats in May fell, and sales of boats of May rose. | -
en | Sales of boats did not rise in May. | Sales of boats fell in May. | negation: not / 
en | Sales of boats did not rise in May. | Sales of boats did not fall in May. | opposite: rise / fall
en | Sales of boats rose in May. | Sales of boats did not fall in May. | negation:  / not
en | Kelby won the final against Harrow. | Harrow lost the final against Kelby. | -
en | Kelby won the final against Harrow. | Kelby lost the final against Harrow. | opposite: won / lost
en | Kelby won the final. | Kelby lost the final. | opposite: won / lost
en | Kelby won the Cup final against Harrow. | Kelby lost the Cup final against Harrow. | opposite: won / lost
en | Kelby beat Harrow in Oslo. | In Oslo Harrow lost against Kelby. | -
en | Sales rose more than boats of Kelby. | Boats fell less than sales of Kelby. | opposite: rose / fell
en | Anna said "Carl sued Bo" to Dan. | Dan said "Bo sued Carl" to Anna. | order: Anna … Dan
en | Most boats sold. | Least boats sold, fewest docks. | opposite: most / least
en | The bill was approved and supported by members. | The bill was rejected and opposed by members. | opposite: approved / rejected
ja | 田中が鈴木側を訴えた。 | 鈴木が田中を訴えた。 | -
de | Der Minister verklagte die Zeitung. | Er verklagte den Minister. | -
en | Anna sued Carl over boats, and it was said that they had been red and wide and old and slow and heavy and cheap and empty and small and thin and new and good and clean and dry and lost and found in a town called 北京. | Carl sued Anna. | order: Anna … Carl
ar | الحكومة الجديدة النقابة الكبرى. | ذكرت النقابة الكبرى الحكومة الجديدة. | -
ar | ذكرت الحكومة الجديدة النقابة الكبرى. | النقابة الكبرى الحكومة الجديدة. | -
ar | اتهمت الحكومة الجديدة النقابة الكبرى اليوم. | اتهمت النقابة الكبرى الحكومة الجديدة اليوم. | order: الجديدة … الكبرى
ar | اتهمت الحكومة الجديدة النقابة الكبرى اليوم. | اتهمت النقابة الكبرى الحكومة الجديدة. | order: الجديدة … الكبرى
ar | اتهمت الحكومة الجديدة النقابة الكبرى اليوم. | اتهمت النقابة الكبرى الحكومة اليوم الجديدة. | -
ar | اتهمت الحكومة الجديدة النقابة الكبرى. | اتهمت النقابة الكبرى الحكومة شهر الجديدة. | order: الجديدة … الكبرى
ar | اتهمت الحكومة الجديدة النقابة الكبرى. | اتهمت النقابة الكبرى الحكومة شهر ربيع الجديدة. | -
ar | اتهمت الحكومة الجديدة النقابة الكبرى. | اتهمت النقابة شهر الكبرى الحكومة الجديدة. | order: الجديدة … الكبرى
ar | اتهمت الحكومة الجديدة النقابة الكبرى. | اتهمت النقابة شهر ربيع الكبرى الحكومة الجديدة. | -
ru | «Альтаир» обогнал «Бригаду» по заказам. | «Бригада» обогнал «Альтаира» по заказам. | order: Альтаир … Бригаду
en | Kelby won the final at home. | Kelby lost at home the final. | opposite: won / lost
en | Sales of boats rose in May. | Sales of smaller boats fell in May. | opposite: rose / fell
`

function doubt(language: string, claim: string, page: string): string {
  const found = doubtOf(claim, page.split(/(?<=\.) /), language)
  if (!found) return '-'
  const { kind, said, page: there } = found
  if (kind !== 'order') return `${kind}: ${said} / ${there}`
  expect(there).toBe(said.split(' … ').toReversed().join(' … '))
  return `${kind}: ${said}`
}

test.each(
  cases
    .trim()
    .split('\n')
    .map((line) => line.split(' | ')),
)('in %s, of "%s" beside "%s" the doubt is: %s', (language = '', claim = '', page = '', expected = '') => {
  expect(doubt(language, claim, page)).toBe(expected)
})
