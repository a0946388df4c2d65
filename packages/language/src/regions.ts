import { foldedWord } from './words.ts'

const codes =
  'AF AL DZ AD AO AR AM AU AT AZ BS BH BD BY BE BZ BJ BT BO BA BW BR BN BG BF BI KH CM CA CF TD CL CN CO KM CR HR CU CY CZ DK DJ DO EC EG SV GQ ER EE SZ ET FJ FI FR GA GM GE DE GH GR GT GN GW GY HT HN HU IS IN ID IR IQ IE IL IT JM JP JO KZ KE KW KG LA LV LB LS LR LY LI LT LU MG MW MY MV ML MT MR MU MX MD MC MN ME MA MZ MM NA NP NL NZ NI NE NG KP KR MK NO OM PK PA PG PY PE PH PL PT QA RO RU RW SA SN RS SL SG SK SI SO ZA ES LK SD SR SE CH SY TW TJ TZ TH TG TN TR TM UG UA AE GB US UY UZ VE VN YE ZM ZW GL HK'.split(
    ' ',
  )

/** The names of countries in a language, of one word each: folded where the script has capital letters. Empty where the language is not known. */
export function regionNames(language: string): ReadonlySet<string> {
  const known = byLanguage.get(language)
  if (known) return known
  const names = new Set<string>()
  const display = supported(language) ? new Intl.DisplayNames([language], { type: 'region' }) : undefined
  for (const code of codes) {
    const name = display?.of(code) ?? ''
    if (name !== code && name.length > 1 && !/[\s(]/.test(name))
      names.add(/\p{Lu}/u.test(name) ? foldedWord(name) : name)
  }
  if (byLanguage.size >= maxLanguages) byLanguage.clear()
  byLanguage.set(language, names)
  return names
}

const byLanguage = new Map<string, ReadonlySet<string>>()
const maxLanguages = 30

function supported(language: string): boolean {
  return /^[a-z]{2,3}$/.test(language) && Intl.DisplayNames.supportedLocalesOf([language]).length > 0
}
