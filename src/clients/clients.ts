import type { ClientManifest } from './client.ts'
import { anythingLlm } from './programs/anythingllm.ts'
import { claudeCode } from './programs/claude-code.ts'
import { claudeCodeRouter } from './programs/claude-code-router.ts'
import { claudeDesktop } from './programs/claude-desktop.ts'
import { cline } from './programs/cline.ts'
import { codex } from './programs/codex.ts'
import { continueDev } from './programs/continue.ts'
import { copilot } from './programs/copilot.ts'
import { crush } from './programs/crush.ts'
import { cursor } from './programs/cursor.ts'
import { flowise } from './programs/flowise.ts'
import { goose } from './programs/goose.ts'
import { hermes } from './programs/hermes.ts'
import { homeAssistant } from './programs/home-assistant.ts'
import { kilo } from './programs/kilo.ts'
import { libreChat } from './programs/librechat.ts'
import { liteLlm } from './programs/litellm.ts'
import { lmStudio } from './programs/lm-studio.ts'
import { lobeChat } from './programs/lobechat.ts'
import { n8n } from './programs/n8n.ts'
import { openWebui } from './programs/open-webui.ts'
import { openClaw } from './programs/openclaw.ts'
import { openCode } from './programs/opencode.ts'
import { pi } from './programs/pi.ts'
import { qwenCode } from './programs/qwen-code.ts'
import { vsCode } from './programs/vscode.ts'
import { zed } from './programs/zed.ts'

/** The clients that `csp setup` knows. */
export const clients: readonly ClientManifest[] = [
  openClaw,
  claudeCode,
  codex,
  claudeDesktop,
  cursor,
  vsCode,
  zed,
  cline,
  openCode,
  copilot,
  kilo,
  qwenCode,
  crush,
  pi,
  goose,
  continueDev,
  lmStudio,
  anythingLlm,
  hermes,
  openWebui,
  libreChat,
  liteLlm,
  claudeCodeRouter,
  lobeChat,
  n8n,
  flowise,
  homeAssistant,
]
