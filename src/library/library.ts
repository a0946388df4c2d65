// What a program imports from the package `claude-search-proxy` on node, Bun and Deno.
export { claude } from './claude.ts'
export * from './everywhere.ts'
