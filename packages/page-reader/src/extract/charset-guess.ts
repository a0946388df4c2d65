/**
 * The encodings that are told apart by the signs that texts in them have most often, with the least share of these among
 * all signs beyond ASCII. Read as another one, a text has next to none of them.
 */
const encodings: readonly (readonly [label: string, frequent: RegExp, minShare: number])[] = [
  [
    'gb18030',
    oneOf(
      '的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经',
    ),
    0.12,
  ],
  [
    'big5',
    oneOf(
      '的一是在不了有和人這中大為上個國我以要他時來用們生到作地於出就分對成會可主發年動同工也能下過子說產種面而方後多定行學法所民得經',
    ),
    0.12,
  ],
  ['shift_jis', /[ぁ-んァ-ヴー]/g, 0.3],
  ['euc-jp', /[ぁ-んァ-ヴー]/g, 0.3],
  ['euc-kr', oneOf('이다는을의에가고한하지로도은를사기인어서리자대'), 0.25],
  ['windows-1251', oneOf('оеаинтсрі'), 0.4],
  ['koi8-r', oneOf('оеаинтср'), 0.4],
  ['iso-8859-5', oneOf('оеаинтср'), 0.4],
  ['windows-1253', oneOf('αοιετνησς'), 0.4],
  ['windows-1255', oneOf('יוהאלרמת'), 0.4],
  ['windows-1256', oneOf('اليمونرت'), 0.4],
  ['windows-874', oneOf('านรกเงอ่้'), 0.35],
]

function oneOf(signs: string): RegExp {
  return new RegExp(`[${signs}]`, 'g')
}

/** The encoding of a body that says nothing of it and is no UTF-8, where that is sure. */
export function guessedCharset(body: Uint8Array): string | undefined {
  const start = body.findIndex((byte) => byte >= 0x80)
  if (start < 0) return undefined
  const sample = body.subarray(start, start + maxSample)
  if (!hasRuns(sample)) return undefined
  let best: { readonly label: string; readonly sureness: number } | undefined
  for (const [label, frequent, minShare] of encodings) {
    const beyond =
      new TextDecoder(label)
        .decode(sample)
        .match(/[\x80-\uffff]/g)
        ?.join('') ?? ''
    const bad = beyond.match(/\ufffd/g)?.length ?? 0
    if (beyond.length < minSigns || bad > beyond.length * maxBad) continue
    const sureness = (beyond.match(frequent)?.length ?? 0) / beyond.length / minShare
    if (sureness >= 1 && sureness > (best?.sureness ?? 0)) best = { label, sureness }
  }
  return best?.label
}

/** Western texts have one letter beyond ASCII here and there; words of other scripts have nothing else. */
function hasRuns(sample: Uint8Array): boolean {
  let [high, inRuns, run] = [0, 0, 0]
  for (const byte of sample) {
    if (byte < 0x80) run = 0
    else {
      high++
      run++
      inRuns += run === 3 ? 3 : run > 3 ? 1 : 0
    }
  }
  return inRuns >= high * minInRuns
}

const minInRuns = 0.6
/** In bytes, from the first one beyond ASCII. */
const maxSample = 100_000
const minSigns = 12
/** One in so many signs may have been damaged on the way. */
const maxBad = 0.01
