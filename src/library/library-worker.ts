// The same names on a Cloudflare Worker: the package's `exports` lead here by the condition `workerd`. Nothing that this
// file reaches is bound to a runtime.
export * from './everywhere.ts'
export { claude } from './no-claude.ts'
