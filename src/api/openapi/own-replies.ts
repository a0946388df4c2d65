/** Examples of what routes without a search reply. */
export const health = {
  status: 'ok',
  version: '1.0.0',
  uptime_seconds: 3600,
  ready: true,
  backends: [{ name: 'claude', ready: true, signed_in: true }],
}

export const model = {
  id: 'sonar-pro',
  object: 'model',
  created: 1795168800,
  owned_by: 'claude-search-proxy',
  type: 'model',
  display_name: 'sonar-pro',
  created_at: '2026-11-20T10:00:00.000Z',
}

export const geminiModel = {
  name: 'models/gemini-flash-latest',
  baseModelId: 'gemini-flash-latest',
  version: '1',
  displayName: 'gemini-flash-latest',
  description: 'claude-search-proxy',
  supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
}
