/**
 * What makes a word its opposite, a language a line: what stands before it, `-less/ful` for one ending in place of another, and
 * behind `|` words that only look so, folded. Before one in brackets stand these letters alone: `il(l)`.
 */
const table = `en un in im(bmp) ir(r) il(l) dis non mis -less/ful | inform import impress improve invest increase income incoming into indoor
  input install intake inland inside inward inbound insight impart implant impose imprint imprison immigrant immigrate impulse impact
  impair image impeach implore inhabit indeed intend intent intense instance instill ingrain inborn inmate inflow infuse insure
  infamous invaluable inflammable invert inspire incite induce inquire inscribe insect invoice involve inclose include inlet inset
  indent indict indicate imply improvise imperil
  discover display discount discharge disease disclose discourse discuss dispatch dispense dispose dissent distract dismiss dismay
  disguise disband discard distill dispute dissolve distort district displace dispart distress disservice discern disport
  mission mistake missing mister misty unit union unite universe unless until under
de un nicht miss -los/voll -los/reich | unfall ungefahr unkosten unmengen unwetter unrat unkraut unsumme unzahl ungarn unding unart untat
  unheil untiefe ungeheuer unterricht unter union universal missen missgeburt
fr in im(bmp) ir(r) il(l) mal des dis non me | inform importe imprime impose investi indice inscrit informe intense invite inspire induit
  incendie inclus index infliger malgre malade malheur maladie desert dessert dessin destin desormais design designe descend despote
  medecin membre menace mener messe mesure mettre merite metal methode metier indemne infime impair
es in im(p) i(lr) des dis | inform importar importante imponer imprimir imprenta impreso invertir inscribir indicar intento intenso
  interior inspirar inducir incluir incluso incendio ingreso inverso
  despues descubrir descubierto desempeno desayuno despedir desde destino desarrollo despacho despertar describir descender descanso
  despliegue distinto disponer dispone disposicion discurso disputar distancia
it in im(bmp) ir(r) il(l) dis s(bcdfgpt) | inform importare imporre impresa imprimere investire indietro intanto infatti inoltre invece
  infine incontro insieme interno indicare inizio ingresso intento intenso inverno inserire inscrivere incluso insegna insegnare
  disegno disporre discorso disputa distanza dispositivo scorso spesa spazio scala stato storia strada sforzo sport spettacolo
  studio stanza stesso stare sbarco scena scelta scoperta spalla spina sparo spese stesura scarica
pt in im(bmp) ir(r) il(l) i(lr) des dis | inform importar importante impor imprimir imprensa investir inscrever indicar intento intenso
  interno inspirar incluir incendio inverno ingresso inverso
  desporto despesa desenvolvimento desenvolver descoberta descobrir desafio despedir desde destino desempenho despacho descer descanso
  despertar discurso disputar dispor distancia
nl on niet wan -loos/vol | onweer ongeluk onder onderwijs ongeveer ondanks ontslag ontwerp
sv o in ir(r) il(l) miss -los/full | offer order orden orsak
pl nie bez | niektore niedziela niemiec niemal niedawno nieco niech nigdy niegdys bezpiecz bezposredni
tr -siz/li -suz/lu |
ru не без бес а(мс) | небо неделя несколько необходимо недавно неудача недра невеста нефть некоторые некий неуже
  беседа бездна бесконечно безопасн
uk не без | небо неділя необхідно нещодавно деякі безпек
ko 불 비 무 미 부 몰 | 미국 무역 부분 미술`

interface Line {
  readonly prefixes: readonly { readonly prefix: string; readonly before: string }[]
  readonly endings: readonly (readonly [ending: string, other: string])[]
  readonly exceptions: readonly string[]
}

const lines = new Map<string, Line>(
  table.split(/\n(?=\w\w )/).map((row) => {
    const [signs = '', words = ''] = row.split('|')
    const [language = '', ...parts] = signs.trim().split(/\s+/)
    const endings = parts.filter((part) => part.startsWith('-')).map((part) => part.slice(1).split('/'))
    const prefixes = parts.filter((part) => !part.startsWith('-')).map((part) => part.replace(')', '').split('('))
    return [
      language,
      {
        prefixes: prefixes.map(([prefix = '', before = '']) => ({ prefix, before })),
        endings: endings.map(([ending = '', other = '']) => [ending, other] as const),
        exceptions: words
          .trim()
          .split(/\s+/)
          .filter((word) => word !== ''),
      },
    ] as const
  }),
)

/**
 * The words that a folded word may be the opposite of, by what stands before or behind it: `controlled` for `uncontrolled`. A
 * language that is not known is read as English.
 */
export function oppositesByForm(folded: string, language = 'en'): readonly string[] {
  const line = lines.get(language)
  if (!line || folded.length < minWord || isException(folded, line.exceptions)) return []
  const bare = line.prefixes.flatMap(({ prefix, before }) => {
    const rest = folded.slice(prefix.length)
    const fits = before === '' || before.includes(rest.charAt(0))
    return folded.startsWith(prefix) && fits && rest.length >= minRest ? rest : []
  })
  const others = line.endings.flatMap(([ending, other]) =>
    folded.endsWith(ending) && folded.length >= ending.length + minRest ? folded.slice(0, -ending.length) + other : [],
  )
  return [...bare, ...others]
}

/** The signs that stand before Korean words: their letters are compared, not their words. */
export const koreanOpposites =
  lines
    .get('ko')
    ?.prefixes.map(({ prefix }) => prefix)
    .join('') ?? ''

/** In any of its forms: `informed`, not `informal`. */
function isException(folded: string, exceptions: readonly string[]): boolean {
  return exceptions.some((word) => folded.startsWith(word) && formEnding.test(folded.slice(word.length)))
}

const formEnding = /^(?:e?[dsrntmo]?|ing|e?rs|es|a[sn]?|os|ion(?:es|s)?|ed|d[ao]s?|[а-яіїє]{1,3})$/
const minWord = 5
const minRest = 4
