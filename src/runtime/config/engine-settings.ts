import type { SettingName } from './config-schema.ts'

/** The settings that bear on a search made in this process. */
export const engineSettings: readonly SettingName[] = [
  'model',
  'excerpts',
  'timeout',
  'cacheTtl',
  'cacheStale',
  'cacheDir',
  'stateDir',
  'auth',
  'claudeBin',
  'backends',
  'searxngUrl',
  'braveApiKey',
  'anthropicApiKey',
  'messagesModel',
  'sandbox',
  'logLevel',
]
