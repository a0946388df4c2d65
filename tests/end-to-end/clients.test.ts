// The clients of many vendors, each as it comes from npm, on one csp.
import './clients/openai.ts'
import './clients/vendors.ts'
import './clients/ai-sdk.ts'
import './clients/anthropic.ts'
import './clients/brave.ts'
import './clients/langchain.ts'
import './clients/more-shapes.ts'
// At its end the usage limit is reached, which csp remembers.
import './clients/perplexity.ts'
