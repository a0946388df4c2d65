import { z } from 'zod'
import { countVerdicts, type Evidence, type Verdict, verdicts } from '../domain/evidence.ts'
import { checkClaims } from '../evidence/check.ts'
import { isObject, parseJson } from '../lib/json.ts'
import { counted } from '../lib/text.ts'
import { QuestionError } from './questions/question.ts'
import { type Share, shareOf } from './statistics.ts'

/** Whether a page bears a claim out, as people have judged. */
export const labels = ['supported', 'partially_supported', 'not_supported'] as const

/** A claim with the page that it cites, as WiCE has them. */
export interface LabelledClaim {
  readonly claim: string
  readonly label: (typeof labels)[number]
  /** The page, whole or in sentences. */
  readonly evidence: string
}

const text = z.string().max(1_000_000)
const line = z.object({
  claim: z.string().trim().min(1).max(5000),
  label: z.enum(labels),
  evidence: z.union([text, z.array(text).transform((sentences) => sentences.join('\n'))]),
})

/** Reads claims, one JSON object a line. Throws a `QuestionError` that names the line. `undefined`: the file has questions. */
export function readLabelledClaims(file: string): readonly LabelledClaim[] | undefined {
  const lines = file.split('\n').flatMap((one, index) => (one.trim() ? [{ one, number: index + 1 }] : []))
  const first = parseJson(lines[0]?.one ?? '')
  if (!isObject(first) || !('claim' in first)) return undefined
  return lines.map(({ one, number }) => {
    const { data, error } = line.safeParse(parseJson(one))
    if (data) return data
    const [issue] = error.issues
    throw new QuestionError(`Line ${number}: ${issue?.path.join('.') || 'the line'}: ${issue?.message ?? 'wrong'}`)
  })
}

/** A claim that was compared. */
export interface ClaimTrial extends Pick<Evidence, 'verdict' | 'score' | 'judge'> {
  readonly label: LabelledClaim['label']
  readonly claim: string
}

/** Compares claims with their pages, and has a model judge as many of them at once as it may. */
export async function* evaluateClaims(
  claims: readonly LabelledClaim[],
  judge: ((evidence: readonly Evidence[]) => Promise<readonly Evidence[]>) | undefined,
): AsyncGenerator<readonly ClaimTrial[], void, undefined> {
  for (let at = 0; at < claims.length; at += claimsAtOnce) {
    const some = claims.slice(at, at + claimsAtOnce)
    const compared = some.flatMap(({ claim, evidence }) =>
      checkClaims([{ text: claim, sources: [1] }], () => ({ text: evidence })),
    )
    const judged = judge ? await judge(compared) : compared
    yield some.map(({ label, claim }, place): ClaimTrial => {
      const { verdict = 'not-read', score = 0, judge } = judged[place] ?? {}
      return { label, claim, verdict, score, ...(judge && { judge }) }
    })
  }
}

/** As many as one call judges. */
export const claimsAtOnce = 20

export interface ClaimReport {
  readonly claims: number
  readonly byLabel: Readonly<Record<string, Readonly<Record<Verdict, number>>>>
  /** Those where `found` and `supported` agree. */
  readonly right: Share | undefined
  /** How often the score of a supported claim is above that of one that is not supported, and of any other. */
  readonly auc: { readonly notSupported: number | undefined; readonly others: number | undefined }
  /** Judgements that count. */
  readonly judged: number
  readonly calls: number
}

export function reportOfClaims(trials: readonly ClaimTrial[], calls: number): ClaimReport {
  const scoresOf = (isMeant: (label: string) => boolean) =>
    trials.filter(({ label }) => isMeant(label)).map(({ score }) => score)
  const supported = scoresOf((label) => label === 'supported')
  return {
    claims: trials.length,
    byLabel: Object.fromEntries(
      labels.map((label) => [label, countVerdicts(trials.filter((trial) => trial.label === label))]),
    ),
    right: shareOf(trials.map(({ verdict, label }) => (verdict === 'found') === (label === 'supported'))),
    auc: {
      notSupported: areaUnderCurve(
        supported,
        scoresOf((label) => label === 'not_supported'),
      ),
      others: areaUnderCurve(
        supported,
        scoresOf((label) => label !== 'supported'),
      ),
    },
    judged: trials.filter(({ judge }) => judge?.says).length,
    calls,
  }
}

/** How often a score of the first is above one of the second; equal ones count half. */
function areaUnderCurve(first: readonly number[], second: readonly number[]): number | undefined {
  if (first.length === 0 || second.length === 0) return undefined
  let above = 0
  for (const one of first) for (const other of second) above += one > other ? 1 : one === other ? 0.5 : 0
  return above / first.length / second.length
}

/** The report as Markdown, to be pasted. */
export function tableOfClaims({ claims, byLabel, right, auc, judged, calls }: ClaimReport): string {
  const rows = Object.entries(byLabel).map(([label, counts]) => {
    const cells = verdicts.map((verdict) => counts[verdict])
    return `| ${[label.replace('_', ' '), cells.reduce((sum, count) => sum + count, 0), ...cells].join(' | ')} |`
  })
  const decimals = (value: number | undefined) => value?.toFixed(3) ?? '–'
  const percent = right
    ? `${Math.round(right.share * 100)} % (${Math.round(right.low * 100)}–${Math.round(right.high * 100)})`
    : '–'
  return `${counted(claims, 'claim')}, ${counted(calls, 'model call')}, ${judged} judged.

| | n | ${verdicts.join(' | ')} |
|---|${'---:|'.repeat(verdicts.length + 1)}
${rows.join('\n')}

Found where supported, and only there: ${percent}, with its 95 % interval. AUC of the score, supported against not supported: ${decimals(auc.notSupported)}; against all others: ${decimals(auc.others)}.
`
}
