import { expect, test } from 'bun:test'
import { shared } from '../src/shared.ts'

test('what many ask for at once is made once, and kept', async () => {
  let made = 0
  const get = shared(async () => {
    made++
    await Bun.sleep(30)
    return `text ${made}`
  })
  expect(new Set(await Promise.all(Array.from({ length: 100 }, get)))).toEqual(new Set(['text 1']))
  expect(await get()).toBe('text 1')
  expect(made).toBe(1)
})

test('who waits for one that fails makes it, and only its own asker hears of the failure', async () => {
  let made = 0
  const get = shared(async () => {
    made++
    await Bun.sleep(5)
    if (made === 1) throw new Error('broken')
    return 'text'
  })
  const outcomes = await Promise.allSettled([get(), get(), get()])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
  expect(made).toBe(2)
})
