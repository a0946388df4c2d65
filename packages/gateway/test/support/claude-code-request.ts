import type { MessagesRequest } from '@csp/messages-api/request'

/** As Claude Code begins a conversation: what other providers refuse is all there. */
export const claudeCodeRequest = {
  model: 'claude-sonnet-5-5',
  max_tokens: 32_000,
  temperature: 1,
  stream: true,
  system: [
    { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.328; cc_entrypoint=cli; cch=abcde;' },
    { type: 'text', text: 'You are Claude Code.', cache_control: { type: 'ephemeral', ttl: '1h' } },
  ],
  thinking: { type: 'adaptive' },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  output_config: { effort: 'high' },
  metadata: { user_id: 'user_1_session_2' },
  tools: [
    {
      name: 'Bash',
      description: 'Runs a command',
      input_schema: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: { command: { type: 'string' } },
      },
      cache_control: { type: 'ephemeral' },
      eager_input_streaming: true,
    },
    { type: 'web_search_20250305', name: 'web_search', max_uses: 8 },
  ],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: '<system-reminder>\nThe date is today.\n</system-reminder>' },
        { type: 'text', text: 'list files in the current directory', cache_control: { type: 'ephemeral' } },
      ],
    },
  ],
} satisfies MessagesRequest
