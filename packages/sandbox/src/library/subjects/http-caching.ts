import type { Subject } from '../page.ts'

export const httpCaching: Subject = {
  name: 'HTTP caching',
  about: 'cache, caches, cached, caching, etag, etags, no-store, max-age',
  pages: [
    {
      site: 'encyclopedia.csp.example',
      path: '/http-caching',
      title: 'HTTP caching',
      publishedAt: '2026-06-09',
      text: `An HTTP cache stores responses and reuses them for later requests, so that a page loads faster and the server does less work. RFC 9111 of June 2022 defines HTTP caching and replaces RFC 7234 of 2014.

A private cache belongs to one user, such as the cache of a browser. A shared cache, such as a proxy or a content delivery network, serves many users.

## Fresh and stale

A stored response is fresh while its age is below its freshness lifetime. A fresh response is reused without asking the server. A stale response must normally be validated with the server before it is reused.

The freshness lifetime comes from the first of these that is present:

| Source | Meaning |
| s-maxage | seconds, for shared caches alone |
| max-age | seconds, for every cache |
| Expires | a date and a time |
| heuristic | a guess, often 10% of the time since Last-Modified |

## The age of a response

The Age header says how many seconds ago a response was generated or validated at its origin. A response with max-age=600 and Age: 540 stays fresh for another 60 seconds.`,
    },
    {
      site: 'handbook.csp.example',
      path: '/web/cache-control',
      title: 'Cache-Control by example',
      publishedAt: '2026-03-17',
      text: `The Cache-Control header tells each cache what it may store and for how long.

| Directive | Effect |
| no-store | nothing is stored |
| no-cache | the response is stored, and validated before each reuse |
| private | only the browser may store it |
| max-age=3600 | fresh for one hour |
| immutable | it will not change while it is fresh |
| stale-while-revalidate=60 | may be served stale for 60 seconds while it is renewed |

## Files that never change

Files whose name contains a hash of their content can be cached for a year:

    Cache-Control: public, max-age=31536000, immutable

RFC 8246 of 2017 added the directive immutable. RFC 5861 of May 2010 added stale-while-revalidate and stale-if-error.

## Pages that change

The directive no-cache does not forbid storing, which is a common mistake; no-store does. A personal page needs private, so that no shared cache gives it to another user.`,
    },
    {
      site: 'handbook.csp.example',
      path: '/web/etags',
      title: 'ETags and conditional requests',
      publishedAt: '2025-11-04',
      text: `An ETag is an identifier of one version of a resource, which the server sends with the response. A cache sends it back in If-None-Match when the stored response is stale.

If the ETag still matches, the server answers 304 Not Modified without a body. A 304 response renews the stored one and saves its transfer, but not the round trip.

    GET /prices HTTP/1.1
    If-None-Match: "v42"

    HTTP/1.1 304 Not Modified
    ETag: "v42"

## Weak and strong

A weak ETag begins with W/ and promises the same meaning, not the same bytes. A strong ETag changes with every byte, so it also works for range requests.

If a response has no ETag, a cache validates it by its Last-Modified date, in If-Modified-Since. HTTP dates have a resolution of one second, so two changes within a second look the same.`,
    },
  ],
}
