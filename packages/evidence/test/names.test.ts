import { describe, expect, test } from 'bun:test'
import { checkClaims } from '../src/check.ts'
import { type CitedPage, concernsOf } from '../src/evidence.ts'

function checked(text: string, page: string, more: Partial<CitedPage> = {}) {
  const whole = english.test(page) ? `${page} ${rest}` : page
  const [evidence] = checkClaims([{ text, sources: [1] }], () => ({ text: whole, ...more }))
  if (!evidence) throw new Error('nothing was checked')
  return {
    ...evidence,
    names: evidence.missing?.flatMap(({ kind, text: name }) => (kind === 'name' ? name : [])) ?? [],
  }
}

/** A page has more to say. */
const rest = 'And so it went on. It was the end of the day.'
const english = /(?<!\p{L})(?:the|was)(?!\p{L})/iu

describe('a name that the page does not have is named', () => {
  test.each([
    ['Vercel', 'Bun was released by Vercel in the autumn.', 'Bun was released by Oven in the autumn.'],
    [
      'James Gosling',
      'Python was created by James Gosling long ago.',
      'Python was created by Guido van Rossum long ago.',
    ],
    ['Evan You', 'The tool is maintained by Evan You.', 'The tool is maintained by Yusuke Wada.'],
    ['Bergen', 'The study was led at the University of Bergen.', 'The study was led at the University of Oslo.'],
    ['Paul', 'The plan of Paul Miller was dropped.', 'The plan of Peter Miller was dropped.'],
    ['Paul', 'Paul Miller has closed the account.', 'Peter Miller has closed the account.'],
    ['Watch', 'They said that the Orchard Watch is sold out.', 'They said that the Orchard Phone is sold out.'],
    ['Madrid', 'Madrid is the seat of the company.', 'Berlin is the seat of the company.'],
    ['NASA', 'NASA has built the probe with care.', 'The probe was built with care by the agency of Europe.'],
    [
      'Kelby',
      'Kelby won the cup for the third time.',
      'Harrow won the cup for the third time. The cup went to Harrow.',
    ],
    ['ECB', 'It was said by the ECB in May.', 'It was said in May by the firm, and each card bought was sold.'],
    [
      'Weser',
      'Das Fest an der Mündung von Weser und Aller ist alt.',
      'Das Fest an der Mündung von Elbe und Aller ist alt.',
    ],
    [
      'Wien',
      'Der Vertrag wurde in Wien von zwölf Staaten unterzeichnet.',
      'Der Vertrag wurde in Paris von zwölf Staaten unterzeichnet.',
    ],
    ['Vienne', 'Le traité a été signé à Vienne par les ministres.', 'Le traité a été signé à Paris par les ministres.'],
    [
      'Sevilla',
      'El museo de la ciudad de Sevilla fue abierto en mayo.',
      'El museo de la ciudad de Granada fue abierto en mayo.',
    ],
    [
      'Torino',
      'La fabbrica di Torino è stata chiusa per la neve.',
      'La fabbrica di Modena è stata chiusa per la neve.',
    ],
    ['Porto', 'A ponte foi construída no Porto por uma empresa.', 'A ponte foi construída em Lisboa por uma empresa.'],
    ['Malmö', 'Han har bott i Malmö och det är en stor stad.', 'Han har bott i Uppsala och det är en stor stad.'],
    ['Самаре', 'Он жил в Самаре и работал на заводе.', 'Он жил в Казани и работал на заводе.'],
    ['Tschechien', 'Tschechien erhöht zum neuen Jahr die Maut.', 'Österreich erhöht zum neuen Jahr die Maut.'],
    [
      'Bolivia',
      'Bolivia produce la mayor parte del litio de la empresa.',
      'Chile produce la mayor parte del litio de la empresa.',
    ],
    ['Узбекистан', 'Узбекистан сократил добычу урана на четверть.', 'Казахстан сократил добычу урана на четверть.'],
    ['葡萄牙', '比亚迪在葡萄牙建设电动汽车工厂。', '比亚迪在匈牙利建设电动汽车工厂。'],
    ['헝가리', '현대차는 헝가리 공장에서 엔진 생산을 늘린다.', '현대차는 폴란드 공장에서 엔진 생산을 늘린다.'],
    [
      'هنغاريا',
      'تبني تويوتا مصنعا للمحركات في هنغاريا وستوظف ألفي عامل.',
      'تبني تويوتا مصنعا للمحركات في بولندا وستوظف ألفي عامل.',
    ],
    ['テスラ', '電池の工場はテスラが建てた。', '電池の工場はパナソニックが建てた。'],
    ['Tesla', '電池の工場はTeslaが建てた。', '電池の工場はPanasonicが建てた。'],
    ['安格拉·默克尔', '条约由安格拉·默克尔签署。', '条约由埃马纽埃尔·马克龙签署。'],
  ])('%s', (name, claim, page) => {
    const { names, verdict, score } = checked(claim, page)
    expect(names).toEqual([name])
    expect(verdict).toBe('partly')
    expect(score).toBeLessThan(checked(page, page).score)
  })
})

describe('a name that the page has in another form is not', () => {
  test.each([
    ['another ending', 'The Corinthian army was there in May.', 'The army of Corinth was there in May.'],
    ['a short name', 'The letter was written by Bill Thorne.', 'The letter was written by William Thorne.'],
    ['another name of a country', 'The law was made in the United Kingdom.', 'The British law was made then.'],
    [
      'people of a country',
      'The ship was built by the Dutch in the harbour.',
      'The ship was built in the harbour in the Netherlands.',
    ],
    [
      'initials on the page',
      'It was said by the European Central Bank that it is over.',
      'It was said by the ECB that it is over.',
    ],
    [
      'initials in the sentence',
      'It was said by the ECB that it is over.',
      'It was said by the European Central Bank that it is over.',
    ],
    [
      'initials of a name with small words',
      'It was said by the ILGW that it is over.',
      'The International League of Great Wharves was there.',
    ],
    [
      'an umlaut in two letters',
      'The shop of Muellerhoefer is in the town.',
      'The shop of Müllerhöfer is in the town.',
    ],
    [
      'joined',
      'The model was made by Open AI in the year.',
      'The model was made by OpenAI in the year. The Open House was shut.',
    ],
    ['split', 'The model was made by HarbourTower in the year.', 'The model was made by Harbour Tower in the year.'],
    [
      'a part of a word',
      'He lived in the part of Kreuzberg that is near.',
      'He lived in Berlinkreuzberg, that is near.',
    ],
    ['one letter off', 'The speech was given by Qaddafi in the hall.', 'The speech was given by Gaddafi in the hall.'],
    ['half a name', 'The plan of Angela Merkel was dropped.', 'The plan of Merkel was dropped.'],
    [
      'half a name with a title',
      'The plan of Angela Merkel was dropped.',
      'The plan of Chancellor Merkel was dropped.',
    ],
    [
      'half a name beside one that both have',
      'The plan of Harrow Merkel and of Angela Merkel was dropped by the members.',
      'The plan of Harrow Merkel and of the other Merkel was dropped by the members.',
    ],
    [
      'half a name and a headline',
      'The plan of Angela Merkel was dropped.',
      'Angry Merkel Leaves The Harbour Today\n\nThe plan of Merkel was dropped.',
    ],
    [
      'a country in short, Portuguese',
      'A força dos EUA saiu da ilha em maio.',
      'A força dos Estados Unidos saiu da ilha em maio.',
    ],
    [
      'a country by its people, Portuguese',
      'A força dos EUA saiu da ilha em maio.',
      'A força americana saiu da ilha em maio.',
    ],
    [
      'a country in full, Italian',
      'La forza degli Stati Uniti è partita in maggio.',
      'La forza americana è partita in maggio.',
    ],
    [
      'a country in short, Dutch',
      'De kritiek van de VS kwam in mei.',
      'De kritiek van de Verenigde Staten kwam in mei.',
    ],
    ['a country by its people, Dutch', 'De boot werd in Spanje gebouwd.', 'De Spaanse boot werd in mei gebouwd.'],
    [
      'a country in full, Spanish',
      'La reina de los Países Bajos vive en la casa.',
      'La reina de Holanda vive en la casa.',
    ],
    [
      'a country in short, French',
      "L'armée des USA a quitté l'île en mai.",
      "L'armée des États-Unis a quitté l'île en mai.",
    ],
    ['an agency, French', "Le chef de l'AIEA est parti en mai.", "Le chef de l'IAEA est parti en mai."],
    ['a country in short, Polish', 'Statek do USA jest w drodze.', 'Statek do Stanów Zjednoczonych jest w drodze.'],
    [
      'a country in short, Russian',
      'Он жил в США и работал на заводе.',
      'Он жил в Соединенных Штатах и работал на заводе.',
    ],
    [
      'a country in full, Russian',
      'Он жил в Советском Союзе и работал на заводе.',
      'Он жил в СССР и работал на заводе.',
    ],
    ['Russian cases', 'Он жил у Толстого и работал на заводе.', 'Он жил с Толстым и работал на заводе.'],
    ['a long vowel', '工場はテスラモーターズが建てた。', '工場はテスラモタズが建てた。'],
    ['a part in katakana', '工場はテスラモーターズが建てた。', '工場はテスラが建てた。'],
    ['a part of one in katakana', '工場はテスラが建てた。', '工場はテスラモーターズが建てた。'],
    ['Latin words without spaces', '工場は Tesla が建てた。', '工場はTeslaが建てた。'],
    ['between the dots', '条约由默克尔签署。', '条约由安格拉·默克尔签署。'],
  ])('%s', (_, claim, page) => expect(checked(claim, page).names).toEqual([]))
})

describe('in German two nouns that no page has beside each other are a name', () => {
  const page = 'Die Orgel wurde von Gottfried Silbermann gebaut und ist heute in der Stadt zu hören. Das ist lange her.'
  test.each([
    ['Arp Schnitger', 'Die Orgel wurde von dem Meister Arp Schnitger gebaut und ist heute in der Stadt zu hören.'],
    ['Zacharias Hildebrandt', 'Die Orgel des Zacharias Hildebrandt ist heute in der Stadt zu hören.'],
    ['Virgin Media', 'Die Orgel wurde von der Firma Virgin Media gebaut und ist heute zu hören.'],
    ['Fort Lincoln', 'Die Orgel ist heute in der Stadt Fort Lincoln zu hören.'],
    ['Pittard Sullivan', 'Die Orgel wurde gebaut, und zu hören ist sie bei dem Pittard Sullivan.'],
    ['Henry Cole', 'Heute ist die Orgel, die Henry Cole gebaut hat, zu hören.'],
  ])('%s', (name, claim) => expect(checked(claim, page).names).toEqual([name]))

  test.each([
    ['a month behind its end', 'Die Orgel wurde gebaut und ist Ende August in der Stadt zu hören.'],
    ['what is counted', 'Die Orgel wurde von einem Dutzend Leuten gebaut und von Tausenden Menschen gehört.'],
    ['a share', 'Die Orgel ist heute für zwei Prozent Eintritt und einen Teil Spenden zu hören.'],
    ['a compound', 'Die Orgel ist heute in der Stadt beim Kirchen-Konzert zu hören.'],
    ['a weight', 'Die Orgel ist heute in der Stadt mit einer Tonne Metall zu hören.'],
    ['half a name that is there', 'Die Orgel von Meister Johann Silbermann ist heute in der Stadt zu hören.'],
    ['one noun', 'Die Orgel ist heute in der Stadt vor dem Rathaus zu hören.'],
  ])('not %s', (_, claim) => expect(checked(claim, page).names).toEqual([]))
})

describe('what may be no name is not', () => {
  const page =
    'The firm said in the spring that the old boats of the island are sold, and it is glad of it. Kelby was there.'
  test.each([
    ['a first word', 'Yesterday the old boats of the island were sold.', page],
    [
      'a word behind a colon',
      'The firm said: Boats of the island are sold.',
      'The firm said that ships of the island are sold. Kelby.',
    ],
    ['a title of a person', 'The old boats of the island were sold by Senator Kelby.', page],
    ['a day', 'The old boats of the island were sold on Monday.', page],
    ['a quotation', 'The old boats of “Blue Harbour” are sold.', page],
    ['a unit', 'The old boats of the island are sold for 20 Euro.', `${page} It was €20.`],
    ['before a number', 'The old boats of the island are sold in Phase 20.', `${page} It was the 20th.`],
    [
      'behind a whole name',
      'The old boats of the European Central (ECBX) are sold in the European Central.',
      `${page} European Central.`,
    ],
    ['with a digit', 'The old boats of the island are sold in Q2.', page],
    ['in a headline', 'Thorne Sells the Boats, the Firm Is Glad of Harrow', page],
    ['in a long row', 'The boats of the Fine Harbour Tower Garden Yard Club are sold.', page],
    [
      'a German noun',
      'Die Boote wurden von der Firma an die Fischer verkauft.',
      'Die Boote wurden von dem Betrieb an die Leute verkauft.',
    ],
    [
      'a noun by its ending',
      'Das Boot ist alt, und es fuhr mit Ladung und Netz.',
      'Das Boot ist alt, und es fuhr mit Fisch und Netz.',
    ],
    [
      'in place of a noun by its ending',
      'Das Boot ist alt, und es fuhr mit Fisch und Netz.',
      'Das Boot ist alt, und es fuhr mit Ladung und Netz.',
    ],
    [
      'a German noun in place of one that both have',
      'Das Boot ist alt und fuhr mit Fisch und mit Netz und Seil.',
      'Das Boot ist alt und fuhr mit Netz und mit Seil.',
    ],
    [
      'a first word in place of another',
      'Critics said that the boats are sold.',
      'Fishers said that the boats are sold.',
    ],
    [
      'a German noun without an article',
      'Die Boote wurden mit Gewinn und in bar verkauft.',
      'Die Boote wurden in bar und zu hohem Preis verkauft.',
    ],
    ['a word in katakana', '男がジャガイモをスライスする。', '男がナイフでじゃがいもを薄く切る。'],
    [
      'a country where the page has its people',
      'Frankreich erhöht die Maut.',
      'Die französische Regierung erhöht die Maut. Österreich nicht.',
    ],
    ['a country where the page has no other', 'Frankreich erhöht die Maut.', 'Die Regierung in Paris erhöht die Maut.'],
    ['a country beside other letters', '比亚迪的工厂在葡萄牙。', '比亚迪在匈牙利建设电动汽车工厂。'],
    ['a unit in katakana', '工場の温度は20パーセント上がった。', '工場のテスラの温度は20%上がった。'],
    ['a unit of an area in katakana', '工場の広さは20平方メートルである。', '工場のテスラの広さは20㎡である。'],
  ])('%s', (_, claim, text) => expect(checked(claim, text).names).toEqual([]))

  test('the title and the host of the page', () => {
    const claim = 'As it says in the Harbour Gazette, the old boats of the island are sold.'
    expect(checked(claim, page).names).toEqual(['Harbour Gazette'])
    expect(checked(claim, page, { title: 'Sold - Harbour Gazette' }).names).toEqual([])
    expect(checked(claim, page, { url: 'https://www.harbourgazette.example/a' }).names).toEqual([])
    const springer = 'As SpringerLink says, the old boats of the island are sold.'
    expect(checked(springer, page, { url: 'https://link.springer.com/a' }).names).toEqual([])
  })

  test('a name on a page in another language, or in another script', () => {
    const german =
      'Der Vertrag wurde in Wien von den Staaten unterzeichnet, und das ist es, was die Leute in der Stadt sagen.'
    expect(checked('The treaty was signed in Vienna by the states.', german).names).toEqual([])
    expect(checked('工場はPanasonicが建てた。', '工場はパナソニックが建てた。').names).toEqual([])
    expect(checked('Он работал на заводе Siemens в городе.', 'Он работал на заводе Сименс в городе.').names).toEqual([])
    const english = 'The treaty was signed in the spring by the states, as it was said in the town.'
    const text = 'The treaty was signed in Geneva by the states in the spring.'
    const [evidence] = checkClaims([{ text, sources: [1, 2] }], (source) => ({ text: source === 1 ? english : german }))
    expect(evidence?.missing).toBeUndefined()
  })

  test('a name on a page that was not read to its end', () => {
    const long = `${page} ${'And so it went on by the sea. '.repeat(10_000)}`
    const [evidence] = checkClaims(
      [{ text: 'The old boats of the island were sold by Thorne.', sources: [1] }],
      () => ({ text: long }),
    )
    expect([evidence?.verdict, evidence?.reason]).toEqual(['not-read', 'too-long'])
  })
})

test('neighbours are one name, and a name in words says that it is one', () => {
  expect(concernsOf(checked('The boats were sold by James Thorne.', 'The boats were sold by Guido Rossum.'))).toEqual([
    'on no page: the name James Thorne',
  ])
})

test('a name takes a tenth of the score, of more than two no more', () => {
  const page = 'The old boats of the harbour and of the island were sold by the firm in the spring.'
  const lost = (...names: readonly string[]) => {
    const said = (marked: (name: string) => string) =>
      checked(`The old boats of the harbour and of the island were sold in ${names.map(marked).join(' and ')}.`, page)
    // In marks it is a title.
    return {
      verdict: said((name) => name).verdict,
      score: said((name) => `“${name}”`).score - said((name) => name).score,
    }
  }
  expect(lost('Kelby')).toEqual({ verdict: 'partly', score: expect.closeTo(0.1) })
  expect(lost('Kelby', 'Harrow')).toEqual({ verdict: 'partly', score: expect.closeTo(0.2) })
  expect(lost('Kelby', 'Harrow', 'Thorne')).toEqual({ verdict: 'partly', score: expect.closeTo(0.2) })
})
