// What takes the place of the CLI in tests whose subject is csp: it speaks stream-json and MCP as the real one does, and
// asks the Messages API at `ANTHROPIC_BASE_URL`. It starts in a tenth of the time.
const args = process.argv.slice(2)
if (args.includes('serve')) await (await import('./search-server.ts')).serve()
else await (await import('./conversation.ts')).converse(args)
