import { foldedWord } from './words.ts'

/** From the first on, a language a line; forms of one are joined by `/`, and a `-` stands for an ending. */
const table = `en first second third fourth fifth sixth seventh eighth ninth tenth
de erst- zweit- dritt- viert- fünft- sechst- siebt- acht- neunt- zehnt-
fr premier/première/premiers/premières deuxième/second/seconde troisième quatrième cinquième sixième septième huitième neuvième dixième
es primer/primero/primera segundo/segunda tercer/tercero/tercera cuarto/cuarta quinto/quinta sexto/sexta séptimo/séptima octavo/octava noveno/novena décimo/décima
it primo/prima secondo/seconda terzo/terza quarto/quarta quinto/quinta sesto/sesta settimo/settima ottavo/ottava nono/nona decimo/decima
pt primeiro/primeira segundo/segunda terceiro/terceira quarto/quarta quinto/quinta sexto/sexta sétimo/sétima oitavo/oitava nono/nona décimo/décima
nl eerste tweede derde vierde vijfde zesde zevende achtste negende tiende
ru перв- втор- трет- четверт- пят- шест- седьм- восьм- девят- десят-
ar الأول/الأولى الثاني/الثانية الثالث/الثالثة الرابع/الرابعة الخامس/الخامسة السادس/السادسة السابع/السابعة الثامن/الثامنة التاسع/التاسعة العاشر/العاشرة`

const byLanguage = new Map(
  table.split('\n').map((row) => {
    const [language = '', ...ordinals] = row.split(/\s+/)
    const words = new Map<string, number>()
    const starts = new Map<string, number>()
    for (const [place, forms] of ordinals.entries()) {
      for (const form of forms.split('/'))
        (form.endsWith('-') ? starts : words).set(foldedWord(form.replace('-', '')), place + 1)
    }
    return [language, { words, starts }] as const
  }),
)

/** Which of a row a folded word says: 3 for `third`; `undefined` for another word. */
export function ordinalValue(folded: string, language: string): number | undefined {
  const known = byLanguage.get(language)
  const [, start = '', ending = ''] = inflected.exec(folded) ?? []
  return known?.words.get(folded) ?? (ending ? known?.starts.get(start) : undefined)
}

/** What stands behind the first letters of an ordinal. */
const inflected = /^(.+?)(e[nrms]?|[ыоиь][йемх]|[ыо]ми|ому|ого|ую|ая|ое|ые|ых|ью|ьи|ья|ье|ьего|ьей|ьему)$/
