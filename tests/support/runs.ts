/** How often a property is tried: as often as given, or a part of that, as the unit tests ask for. */
export function runs(usual: number): number {
  return Math.ceil(usual * Number(process.env['PROPERTY_RUNS'] ?? 1))
}
