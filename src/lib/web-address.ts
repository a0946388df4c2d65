/** Longer ones spoil a whole reply for some clients. */
const longest = 2048

/**
 * Whether an address may stand among the results: http or https, whole, without a user name or password, and without
 * characters that nobody sees.
 */
export function isWebAddress(text: string): boolean {
  if (text.length > longest || !/^https?:\/\//i.test(text) || unseen.test(text)) return false
  const url = URL.parse(text)
  return url !== null && !url.username && !url.password
}

/** Line breaks, controls, halves of surrogate pairs, marks of direction, invisible characters less the joiners. */
const unseen = /[^\S ]|[\p{Cc}\p{Cs}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/u
