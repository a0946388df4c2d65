import { url } from './case.ts'
import { news, page } from './pages.ts'

/** Pages that only lead elsewhere. */
const stubs = {
  hugo: '<!DOCTYPE html><html lang="en"><head><title>https://own.example/new/</title><link rel="canonical" href="https://own.example/new/"><meta name="robots" content="noindex"><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=https://own.example/new/"></head></html>',
  jekyll:
    '<!DOCTYPE html><html lang="en-US"><meta charset="utf-8"><title>Redirecting&hellip;</title><link rel="canonical" href="https://own.example/new/"><script>location="https://own.example/new/"</script><meta http-equiv="refresh" content="0; url=https://own.example/new/"><meta name="robots" content="noindex"><h1>Redirecting&hellip;</h1><a href="https://own.example/new/">Click here if you are not redirected.</a></html>',
  sphinx: '<html><head><meta http-equiv="refresh" content="0; url=new/"></head></html>',
  mkdocs:
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Redirecting...</title><link rel="canonical" href="new/"><script>var anchor=window.location.hash.substr(1);location.href="new/"+(anchor?"#"+anchor:"")</script><meta http-equiv="refresh" content="0; url=new/"></head><body>You\'re being redirected to a <a href="new/">new destination</a>.</body></html>',
  docusaurus:
    '<!DOCTYPE html><html><head><meta charset="UTF-8"><meta http-equiv="refresh" content="0; url=/new/"><link rel="canonical" href="/new/" /></head><script>window.location.href = "/new/" + window.location.search + window.location.hash;</script></html>',
  shortener: `<head><noscript><META http-equiv="refresh" content="0;URL=https://own.example/new/"></noscript><title>https://own.example/new/</title></head><script>window.opener = null; location.replace("https:\\/\\/own.example\\/new\\/")</script>`,
  search: `<script>window.location.replace("https://own.example/new/")</script>\n<noscript><META http-equiv="refresh" content="0;URL='https://own.example/new/'"></noscript>`,
  unquoted: '<HTML><HEAD><META HTTP-EQUIV=REFRESH CONTENT="1; URL=/new/"></META></HEAD></HTML>',
  bare: '<meta http-equiv="refresh" content="0;https://own.example/new/">',
  body: '<html><body><h1>We have moved</h1><meta http-equiv="refresh" content="5; url=new/"><p>This page has a new home. Please update your bookmarks. You will be taken there in five seconds; if your browser does not do that, <a href="/new/">follow this link</a> instead, and tell your friends.</p></body></html>',
  themed: `<html><head><meta http-equiv="refresh" content="0; url=/new/"></head><body><header><p>${'The town and its harbour. '.repeat(9)}</p></header><main><p>Moved.</p></main><footer>${'All of our pages. '.repeat(9)}</footer></body></html>`,
  quotes: `<html><head><meta http-equiv='Refresh' content='0;URL="/new/"'></head><body></body></html>`,
}
export const stubCases = Object.entries(stubs).map(([name, html]) => ({
  name,
  html,
  url: 'https://own.example/',
  lead: 'https://own.example/new/',
}))
export const noStubCases = [
  {
    name: 'reload',
    url,
    html: page(news.map((p) => `<p>${p}</p>`).join(''), { head: '<meta http-equiv="refresh" content="300">' }),
  },
  {
    name: 'reload-self',
    url,
    html: page(news.map((p) => `<p>${p}</p>`).join(''), {
      head: `<meta http-equiv="refresh" content="600; url=${url}">`,
    }),
  },
  {
    name: 'slow',
    url,
    html: page(news.map((p) => `<p>${p}</p>`).join(''), { head: '<meta http-equiv="refresh" content="60; url=/x">' }),
  },
  {
    name: 'noscript',
    url,
    html: page(news.map((p) => `<p>${p}</p>`).join(''), {
      head: '<noscript><meta http-equiv="refresh" content="0; url=/noscript"></noscript>',
    }),
  },
  {
    name: 'noscript-shell',
    url,
    html: '<noscript><meta http-equiv="refresh" content="0; url=/?noscript=1"></noscript><div id="root">The town</div><script src="/app.js"></script>',
  },
  {
    name: 'hash',
    url,
    html: `<meta http-equiv="refresh" content="0; url=${url}#top"><p>The harbour is closed today.</p>`,
  },
  {
    name: 'script-address',
    url,
    html: '<meta http-equiv="refresh" content="0; url=javascript:go()"><p>The harbour is closed today.</p>',
  },
  {
    name: 'slide',
    url,
    html: page(news.map((p) => `<p>${p}</p>`).join(''), {
      head: '<meta http-equiv="refresh" content="5; url=/slide/2">',
    }),
  },
]
