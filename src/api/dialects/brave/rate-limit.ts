/**
 * Brave's rate headers: what is left of this second, and of this month. The server's own queue does the limiting, so
 * the second is generous, and a month of 0 means no limit. Give the seconds to wait when nothing is left.
 */
export function braveRateLimit(resetSeconds?: number): Readonly<Record<string, string>> {
  return {
    'x-ratelimit-limit': `${perSecond}, 0`,
    'x-ratelimit-policy': `${perSecond};w=1, 0;w=2592000`,
    'x-ratelimit-remaining': `${resetSeconds === undefined ? perSecond : 0}, 0`,
    'x-ratelimit-reset': `${resetSeconds ?? 1}, 0`,
  }
}

const perSecond = 20
