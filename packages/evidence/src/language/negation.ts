/** The word by which a text negates what it says. `not only` and `no less than` do not. */
export function negationIn(text: string, language: string | undefined): string | undefined {
  const plain = text.replace(noNegation, ' ').replace(language === 'pt' ? inPortuguese : /(?!)/, ' ')
  return (contracted.exec(plain) ?? negator.exec(plain) ?? unspacedNegator.exec(plain))?.[0].trim()
}

/** Whether a text may say no in another way: `without`, `refused`, `hardly`. Then a missing "not" says nothing. */
export function mayNegate(text: string): boolean {
  return softly.test(text)
}

/** Whether a text says that something is without something else, as words such as `unlimited` do. */
export function isWithout(text: string): boolean {
  return without.test(text)
}

/** Whether letters are a part of a negation in a script without spaces. */
export function isNegating(letters: string): boolean {
  return negatingLetters.test(letters) || negator.test(letters)
}

const negatingLetters = /[不没沒未无無非않못없]|ない|なか|ませ|いな/
const words = (text: string) =>
  new RegExp(`(?<![\\p{L}\\p{M}])(?:${text.trim().replace(/\s+/g, '|')})(?![\\p{L}\\p{M}])`, 'iu')
const contracted = /(?<=\p{L})n[’']t(?!\p{L})|(?<!\p{L})n[’'](?=\p{L})/iu
const negator =
  words(`not cannot no never nobody none nothing neither nor nicht nie niemals kein keine keinen keinem keiner keines niemand nichts weder
  ne pas jamais aucun aucune ni nunca jamás ningún ninguno ninguna nadie nada tampoco não nao jamais nenhum nenhuma ninguém non nessuno
  niet geen nooit не нет ни никогда никто ничего нельзя لم لن لا ليس ليست غير ولم ولن ولا وليس وليست فلم नहीं न`)
const unspacedNegator =
  /[不没沒未]|无(?!论)|無(?!料)|(?<!少)な(?:い|かっ)|なく(?:な|て)|ません|せず|ず(?=に|、|。|$)|않|못(?=하|했|해)|없|안\s/u
const without = words('without ohne sans sin sem senza zonder utan bez olmadan без بدون دون')
/** "In the". */
const inPortuguese = /(?<!\p{L})no(?!\p{L})/giu
const noNegation =
  /(?:not only|no (?:less|more|fewer|later|sooner) than|not (?:less|more|fewer) than|\bno\. ?(?=\d)|nicht nur|non seulement|pas (?:seulement|moins)|no s[oó]lo|não só|não apenas|не (?:только|менее|более|меньше|больше)|ни один из|ما لا يقل|لا [يت]قل|不仅|不但|不少|不过|不断|不同|不久|不到|不超过|不止|未来|未满|だけで(?:は)?なく|のみならず|少なくな|뿐만 아니라|뿐 아니라|적지 않)/giu
const softly = new RegExp(
  words(
    `without hardly barely unable except instead neither lack lacks lacked ohne kaum sans sauf sin salvo sem exceto без кроме бездейств بدون دون عدم`,
  ).source +
    '|(?<![\\p{L}])(?:fail|refus|reject|den(?:y|ied)|prevent|stop|ban(?:s|ned)?(?!\\p{L})|abandon|cancel|ceas|avoid|un(?:able|likely|change|affect|harm|hurt|injur)|verweiger|abgelehn|verhinder|verzicht|empêch|cess|rechaz|evit|rejeit|recus|отказ|прекра|отверг|رفض|امتنع)|拒|停|禁|避免|免于|缺|中止|断っ|거부|중단|금지|멈',
  'iu',
)
