import { withV1 } from '../vendor.ts'
import type { OwnRoute } from './own-routes.ts'

/** The routes about what this server keeps. */
export const keptRoutes: readonly OwnRoute[] = [
  {
    paths: withV1('/receipts'),
    summary: 'The caller’s receipts, the newest first',
    query: {
      limit: { type: 'integer', minimum: 1, maximum: 100 },
      after: { type: 'string', description: 'next of the list before' },
    },
    reply: {
      object: 'list',
      data: [
        {
          id: '5f0c1e2d3b4a59687786958493a2b1c0',
          time: '2026-11-20T10:00:00.000Z',
          question: 'how do bees show the way?',
          model: 'claude-sonnet-4-5',
          strategy: 'standard',
          verdicts: { found: 1, partly: 0, 'not-found': 0, 'not-read': 0 },
        },
      ],
      has_more: false,
      next: null,
    },
  },
  {
    paths: withV1('/receipts/:id'),
    summary: 'What a written answer rested on: its sentences with their verdicts, its sources with their texts',
    query: { format: { type: 'string', enum: ['json', 'markdown', 'html'] } },
    reply: {
      object: 'receipt',
      id: '5f0c1e2d3b4a59687786958493a2b1c0',
      time: '2026-11-20T10:00:00.000Z',
      question: 'how do bees show the way?',
      model: 'claude-sonnet-4-5',
      strategy: 'standard',
      answer: 'Bees dance. [1]',
      sentences: [{ sentence: 'Bees dance.', start: 0, end: 11, verdict: 'found', score: 1, sources: [1] }],
      sources: [
        { number: 1, url: 'https://example.com/bees', title: 'Bees', passages: ['Bees dance.'], text: 'Bees dance.' },
      ],
    },
    status: { 404: 'There is no such receipt for this key.' },
  },
  {
    paths: withV1('/watches'),
    summary: 'The searches on a schedule, for whoever runs this csp',
    reply: {
      object: 'list',
      data: [
        {
          object: 'watch',
          id: '5f0c1e2d3b4a59687786958493a2b1c0',
          query: 'bun release',
          every_seconds: 86_400,
          problem: null,
          created_at: '2026-11-20T10:00:00.000Z',
          next_at: '2026-11-21T10:00:05.000Z',
          last_at: '2026-11-20T10:00:05.000Z',
        },
      ],
    },
  },
  {
    paths: withV1('/watches/:file'),
    summary: 'What a watch has found, as an Atom feed: `ID.atom`',
    reply: 'application/atom+xml',
    isOpen: true,
    status: { 404: 'There is no such watch.' },
  },
  {
    paths: withV1('/jobs'),
    summary: 'The last twenty jobs of the caller, of all vendors, without their answers',
    reply: {
      object: 'list',
      data: [
        {
          id: '5f0c1e2d3b4a59687786958493a2b1c0',
          vendor: 'openai',
          status: 'running',
          question: 'how do bees show the way?',
          created_at: '2026-11-20T10:00:00.000Z',
          ended_at: null,
          error: null,
        },
      ],
    },
  },
  {
    paths: withV1('/memory'),
    summary: 'How much csp keeps of the pages that it has seen',
    reply: {
      object: 'memory',
      pages: 1200,
      bytes: 9_400_000,
      sites: 310,
      oldest: '2026-10-02T08:00:00Z',
      newest: '2026-11-20T10:00:00Z',
      may_forget: true,
    },
    status: { 404: 'This server keeps no memory.' },
  },
  {
    paths: withV1('/memory'),
    methods: ['DELETE'],
    summary: 'Forgets the pages of a site with its subdomains, or all of them',
    query: { site: { type: 'string' }, all: { type: 'boolean' } },
    reply: { object: 'memory.forgotten', site: 'example.org', pages: 12 },
    status: { 403: 'Keys share this memory.', 404: 'This server keeps no memory.' },
  },
]
