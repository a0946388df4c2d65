// The clients of many vendors, each as it comes from npm, in any order on one csp.
import './clients/ai-sdk.ts'
import './clients/anthropic.ts'
import './clients/brave.ts'
import './clients/langchain.ts'
import './clients/more-shapes.ts'
import './clients/openai.ts'
import './clients/perplexity.ts'
import './clients/vendors.ts'
