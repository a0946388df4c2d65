export function unitFiles(): readonly string[]
