/** What to do on a machine without the CLI. */
export const claudeMissing =
  'The Claude Code CLI was not found. Install it with `npm install -g @anthropic-ai/claude-code`, run `claude` once to sign in, or name it with --claude-bin.'
