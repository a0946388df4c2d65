import type { Subject } from '../page.ts'

export const turingTest: Subject = {
  name: 'the Turing test',
  about: 'turing, imitation game, chinese room',
  pages: [
    {
      site: 'encyclopedia.csp.example',
      path: '/turing-test',
      title: 'The Turing test',
      publishedAt: '2026-06-23',
      text: `In the Turing test a person chats in writing with a machine and a human, and tries to tell which is which. Alan Turing proposed it in 1950 in the paper Computing Machinery and Intelligence, in the journal Mind.

Turing called it the imitation game, and asked it in place of the question whether machines can think. He held that question to be too meaningless to deserve discussion.

## The prediction

Turing expected that in about fifty years an average judge would have no more than a 70% chance of being right after five minutes of questions.

## Programs and the test

| Year | What happened |
| 1950 | Turing's paper |
| 1966 | Joseph Weizenbaum publishes ELIZA |
| 1991 | the first contest for the Loebner Prize |
| 2014 | Eugene Goostman convinces 33% of the judges in London |

The program Eugene Goostman claimed to be a boy of 13 years, which excused its mistakes.`,
    },
    {
      site: 'review.csp.example',
      path: '/ideas/turing-test-objections',
      title: 'What the Turing test does not show',
      publishedAt: '2026-11-10',
      text: `The Turing test measures conversation, and its critics say that conversation is not understanding. John Searle made the best-known objection in 1980 with the Chinese room.

In the Chinese room a person who knows no Chinese answers Chinese questions by following rules in a book. Searle said that neither the person nor the room understands Chinese.

## Turing's own list

Turing answered nine objections in his paper of 1950. One of them is Lady Lovelace's, that a machine can only do what it is told.

## What remains

The test depends on the judge: a credulous judge is easier to deceive. A machine may also fail because it is too fast or too exact, so a program has to hide what it does well.`,
    },
  ],
}
