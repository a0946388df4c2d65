import { plainLine } from './text.ts'

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The code of a system error, such as `ENOENT`; `undefined` for any other. */
export function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

/** Why the system refuses a file or folder, in words where there are some. Names no path. */
export function diskReason(code: unknown): string {
  return diskReasons[String(code)] ?? String(code)
}

const diskReasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota is full',
  EROFS: 'it is read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EEXIST: 'a file is where a folder should be',
  ENOTDIR: 'a file is where a folder should be',
  EFTYPE: 'something else is where a file should be',
}

/**
 * The error's kind and place on one line. Its message is left out: it may quote a request, and crash reports are
 * shared.
 */
export function crashReport(error: unknown): string {
  if (!(error instanceof Error)) return `${typeof error} was thrown`
  const code = 'code' in error && typeof error.code === 'string' ? ` ${error.code}` : ''
  // A message may contain lines that look like stack frames; a real frame ends with a position.
  const lines = (error.stack ?? '').split('\n').slice(error.message.split('\n').length)
  const frames = lines.map((line) => line.trim()).filter((line) => /^at .*:\d+\)?$/.test(line))
  return plainLine(`${error.name}${code} ${frames.slice(0, maxFrames).join(' ')}`)
}

const maxFrames = 10
