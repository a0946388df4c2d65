import { shellWord } from '@csp/lib/text'
import type { ClientAddress, ClientSnippet } from './client.ts'
import { noKey } from './settings.ts'

/** Configurations for libraries, and for programs that only need an address. */
export function librarySnippets({ url, key: known }: ClientAddress): readonly ClientSnippet[] {
  const key = known ?? noKey
  const flag = known ? ` -H ${shellWord(`Authorization: Bearer ${known}`)}` : ''
  return [
    {
      client: 'Vercel AI SDK',
      place: 'JavaScript, with @ai-sdk/perplexity',
      text: `const csp = createPerplexity({ baseURL: '${url}', apiKey: '${key}' })`,
    },
    {
      client: 'LangChain',
      place: 'JavaScript, with @langchain/openai',
      text: lines(
        'const model = new ChatOpenAI({',
        "  model: 'sonar-pro',",
        `  apiKey: '${key}',`,
        `  configuration: { baseURL: '${url}/v1' },`,
        '})',
      ),
    },
    {
      client: 'LangChain in Python',
      place: 'Python, with langchain-openai',
      text: `model = ChatOpenAI(model="sonar-pro", api_key="${key}", base_url="${url}/v1")`,
    },
    {
      client: 'Gemini',
      place: 'JavaScript, with @google/genai',
      text: `const csp = new GoogleGenAI({ apiKey: '${key}', httpOptions: { baseUrl: '${url}' } })`,
    },
    { client: 'OpenAI', place: 'Python', text: `client = OpenAI(base_url="${url}/v1", api_key="${key}")` },
    { client: 'Perplexity', place: 'Python', text: `client = Perplexity(base_url="${url}", api_key="${key}")` },
    { client: 'Tavily', place: 'Python', text: `client = TavilyClient("${key}", api_base_url="${url}/tavily")` },
    {
      client: 'Clients of Bing, Google Custom Search, Serper, SerpApi, Linkup, Parallel',
      place: 'Environment variables or settings: endpoint, and the key',
      text: lines(
        ...['v7.0/search', 'customsearch/v1', 'serper', 'serpapi', 'linkup/v1', 'parallel'].map(
          (end) => `${url}/${end}`,
        ),
        key,
      ),
    },
    {
      client: 'SearXNG clients',
      place: 'Wherever the address of an instance is asked for',
      text: url,
    },
    {
      client: 'Other clients of Brave Search, Perplexity and Anthropic',
      place: 'Environment variables or settings: base URL and key',
      text: lines(url, key),
    },
    {
      client: 'curl',
      place: 'a terminal',
      text: `curl -fsS ${shellWord(`${url}/v1/search?q=bun+release+notes&count=3`)}${flag}`,
    },
  ]
}

function lines(...texts: readonly string[]): string {
  return texts.join('\n')
}
