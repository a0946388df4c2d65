/** A setting that csp had. It is still accepted, so that what started yesterday starts today, and has no effect. */
export interface RetiredSetting {
  /** Completes "NAME is no longer a setting: …". */
  readonly instead: string
  /** Its flag stands alone. */
  readonly isSwitch?: true | undefined
}

const noTraces = 'csp sends no traces; its log has the phases of each request, and /metrics the figures'

/** By the names that they had in the file. */
export const retiredSettings: Readonly<Record<string, RetiredSetting>> = {
  'otel-endpoint': { instead: noTraces },
  'otel-headers': { instead: noTraces },
  'otel-service-name': { instead: noTraces },
  'otel-queries': { instead: noTraces, isSwitch: true },
}
