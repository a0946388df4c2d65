import { describe, expect, test } from 'bun:test'
import { decodeText } from '../../src/extract/charset.ts'
import { extract } from '../../src/extract/extract.ts'

const latin = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'))
const utf8 = (text: string) => new TextEncoder().encode(text)
const joined = (...parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts))

/** Texts, and their bytes in an encoding. */
const texts = [
  [
    'gbk',
    '中国人民银行今天宣布，下调金融机构存款准备金率零点五个百分点。这是今年以来的第二次下调，市场对此早有预期。分析人士说，此举将为经济发展提供支持。',
    '1tC5+sjLw/HS+NDQvfHM7ND7sryjrM/Ctfe98Mjau/q5ubTmv+7XvLG4vfDCysHjtePO5bj2sNm31rXjoaPV4srHvfHE6tLUwLS1xLXatv60zs/CtfejrMrQs6G21LTL1OfT0NSkxtqho7fWzvbIy8q/y7WjrLTLvtm9q86qvq28w7ei1bnM4bmp1qez1qGj',
  ],
  [
    'big5',
    '中央銀行今天宣布，下調金融機構存款準備金率零點五個百分點。這是今年以來的第二次下調，市場對此早有預期。分析人士說，此舉將為經濟發展提供支持。',
    'pKSlobvIpuaktaTRq8WlrKFBpFW91ar3v8S+97pjpnO02rfHs8aq97J2uXPCSaStrdOmyqTAwkmhQ7NvrE+ktaZ+pUio06q6ssSkR6a4pFW91aFBpauz9bnvprmmraazuXe0waFDpMCqUqRIpGi7oaFBprnBfLFOrLC4Z8DZtW+uabSjqNGk5Kv5oUM=',
  ],
  [
    'shift_jis',
    '気象庁によりますと、前線の影響で九州では大気の状態が非常に不安定になっていて、局地的に激しい雨が降っています。土砂災害に警戒してください。',
    'i0OP25KhgsmC5oLogtyCt4LGgUGRT5D8gsyJZYu/gsWL449CgsWCzZHli0OCzI/zkdSCqpTxj+2CyZVziMCS6ILJgsiCwYLEgqKCxIFBi8eSbpNJgsmMg4K1gqKJSoKqjX6CwYLEgqKC3IK3gUKTeY27jdCKUYLJjHiJ+oK1gsSCrYK+grOCooFC',
  ],
  [
    'euc-jp',
    '気象庁によりますと、前線の影響で九州では大気の状態が非常に不安定になっていて、局地的に激しい雨が降っています。土砂災害に警戒してください。',
    'taS+3cSjpMuk6KTqpN6kuaTIoaLBsMD+pM6xxrbBpMe25b2jpMekz8LntaSkzr71wtakrMjzvu+ky8nUsMLE6qTLpMqkw6TGpKSkxqGitsnDz8WqpMu346S3pKSxq6Ssud+kw6TGpKSk3qS5oaPF2rq9utKzsqTLt9my/KS3pMakr6TApLWkpKGj',
  ],
  [
    'euc-kr',
    '기상청은 오늘 오후부터 전국에 비가 내릴 것으로 예보했다. 남부 지방에는 강한 바람이 불 것으로 보여 시설물 관리에 주의가 필요하다고 밝혔다.',
    'seK788O7wLogv8C0wyC/wMjEus7FzSDA/LG5v6EguvGwoSCzu7ixILDNwLi3ziC/ubq4x9+02S4gs7K6ziDB9rnmv6G0wiCwrcfRILnZtvfAzCC60iCwzcC4t84guri/qSC9w7yzubAgsPy4rr+hIMHWwMewoSDHyr/kx8+02bDtILngx/u02S4=',
  ],
  [
    'windows-1251',
    'Центральный банк сообщил, что ставка останется на прежнем уровне до конца года. Аналитики ожидали этого решения, поэтому рынок почти не изменился.',
    '1uXt8vDg6/zt++kg4eDt6iDx7u7h+ejrLCD38u4g8fLg4urgIO7x8uDt5fLx/yDt4CDv8OXm7eXsIPPw7uLt5SDk7iDq7u324CDj7uTgLiDA7eDr6PLo6ugg7ubo5ODr6CD98u7j7iDw5fjl7ej/LCDv7v3y7uzzIPD77e7qIO/u9/LoIO3lIOjn7OXt6Ovx/y4=',
  ],
  [
    'koi8-r',
    'Центральный банк сообщил, что ставка останется на прежнем уровне до конца года. Аналитики ожидали этого решения, поэтому рынок почти не изменился.',
    '48XO1NLBzNjO2cogwsHOyyDTz8/C3cnMLCDe1M8g09TB18vBIM/T1MHOxdTT0SDOwSDQ0sXWzsXNINXSz9fOxSDEzyDLz87DwSDHz8TBLiDhzsHMydTJy8kgz9bJxMHMySDc1M/HzyDSxdvFzsnRLCDQz9zUz83VINLZzs/LINDP3tTJIM7FIMnazcXOyczT0S4=',
  ],
  [
    'iso-8859-5',
    'Центральный банк сообщил, что ставка останется на прежнем уровне до конца года. Аналитики ожидали этого решения, поэтому рынок почти не изменился.',
    'xtXd4uDQ2+zd69kg0dDd2iDh3t7R6djbLCDn4t4g4eLQ0trQIN7h4tDd1eLh7yDd0CDf4NXW3dXcIOPg3tLd1SDU3iDa3t3m0CDT3tTQLiCw3dDb2OLY2tgg3tbY1NDb2CDt4t7T3iDg1ejV3djvLCDf3u3i3tzjIODr3d7aIN/e5+LYIN3VINjX3NXd2Nvh7y4=',
  ],
  [
    'windows-1253',
    'Η κεντρική τράπεζα ανακοίνωσε ότι το επιτόκιο θα παραμείνει στο ίδιο επίπεδο μέχρι το τέλος του έτους.',
    'xyDq5e308enq3iD08dzw5ebhIOHt4erv3+358+Ug/PTpIPTvIOXw6fT86unvIOjhIPDh8eHs5d/t5ekg8/TvIN/k6e8g5fDf8OXk7yDs3ffx6SD07yD03evv8iD07/Ug3fTv9fIu',
  ],
  [
    'windows-1255',
    'הבנק המרכזי הודיע כי הריבית תישאר ללא שינוי עד סוף השנה, והאנליסטים ציפו לכך.',
    '5OHw9yDk7vjr5ukg5OXj6fIg6+kg5Pjp4en6IPrp+eD4IOzs4CD56fDl6SDy4yDx5fMg5Pnw5Cwg5eTg8Ozp8ejp7SD26fTlIOzr6i4=',
  ],
  [
    'windows-1256',
    'أعلن البنك المركزي أن سعر الفائدة سيبقى دون تغيير حتى نهاية العام',
    'w9rh5CDH4cjk3yDH4ePR39LtIMPkINPa0SDH4d3Hxs/JINPtyN7sIM/m5CDK2+3t0SDNyuwg5OXH7ckgx+Hax+M=',
  ],
  [
    'windows-874',
    'ธนาคารกลางประกาศว่าอัตราดอกเบี้ยจะคงอยู่ในระดับเดิมจนถึงสิ้นปีนี้',
    'uLnSpNLDocXSp7vD0KHSyMfo0s3RtcPStM2h4LrV6cKo0KSnzcLZ6OO5w9C00brgtNTBqLm21qfK1Om5u9W51ek=',
  ],
] as const
const bytesIn = (label: string) => Buffer.from(texts.find(([name]) => name === label)?.[2] ?? '', 'base64')
const textIn = (label: string) => texts.find(([name]) => name === label)?.[1] ?? ''

describe('a page that does not say its encoding', () => {
  test.each(texts)('in %s', async (_, text, bytes) => {
    const styles = `<title>x</title><style>${'p { margin: 0 }\n'.repeat(2000)}</style>`
    const body = joined(
      latin(`<html><head>${styles}</head><body><p>`),
      Buffer.from(bytes, 'base64'),
      latin('</p></body></html>'),
    )
    const read = await extract({ body, contentType: 'text/html', url: 'https://a.example/', mainContentOnly: true })
    expect(read.contents.text).toContain(text.slice(0, 20))
  })

  test.each([
    ['fr', 'Dernier été, les élèves créèrent à Orléans un théâtre; après, ils répétèrent la pièce créée, agréée.'],
    [
      'it',
      'Perché la città è più bella là dove già è libertà: università, società, qualità, verità, così però più giù.',
    ],
    ['de', 'Die Straße führt über die Brücke nach Düsseldorf; für die Fußgänger gibt es größere Übergänge.'],
    ['sv', 'På ön växer åtta små träd, och båtarna går över sjön när isen är öppen. Såå, åååh!'],
    ['a few letters', 'é ééé'],
  ])('in Latin-1, %s', (_, text) => expect(decodeText(latin(text), 'text/html')).toBe(text))

  test('with one damaged byte among many', () => {
    const damaged = (text: string) => joined(utf8(text), Uint8Array.of(0x92), utf8(text))
    for (const text of ['Öl, Äpfel und Übermut. ', textIn('gbk'), 'naïve '])
      expect(decodeText(damaged(text), 'text/html')).toBe(`${text}\ufffd${text}`)
    // Old pages have nothing else.
    expect(decodeText(joined(utf8('It'), Uint8Array.of(0x92), utf8('s')), 'text/html')).toBe('It\u2019s')
    // A limit may cut the last letter in two.
    expect(decodeText(utf8('Öl und Ö').subarray(0, -1), 'text/html')).toBe('Öl und \ufffd')
  })

  test('with damaged bytes in another encoding', () => {
    const damaged = joined(bytesIn('euc-kr'), bytesIn('euc-kr'), Uint8Array.of(0xff, 0x20), bytesIn('euc-kr'))
    expect(decodeText(damaged, '')).toContain(textIn('euc-kr').slice(0, 20))
  })
})

describe('a page that says its encoding', () => {
  const meta = (label: string) => latin(`<meta http-equiv="Content-Type" content="text/html; charset=${label}">`)
  const filled = (bytes: number) => latin(`<!--${'-'.repeat(bytes)}-->`)

  test('behind its scripts', () => {
    const page = joined(filled(150_000), meta('windows-1250'), Uint8Array.of(0xb9))
    expect(decodeText(page, 'text/html')).toEndWith('ą')
    expect(decodeText(joined(filled(200_000), meta('windows-1250'), Uint8Array.of(0xb9)), 'text/html')).toEndWith('¹')
    // What is well-formed UTF-8 is nothing else.
    expect(decodeText(joined(filled(2000), meta('gbk'), utf8('Öl')), 'text/html')).toEndWith('Öl')
  })

  test('as Latin-1, though it is UTF-8', () => {
    expect(decodeText(joined(meta('iso-8859-1'), utf8('Año')), 'text/html')).toEndWith('Año')
    expect(decodeText(joined(meta('iso-8859-1'), latin('Año')), 'text/html')).toEndWith('Año')
    expect(decodeText(utf8('Año'), 'text/html; charset=ISO-8859-1')).toBe('Año')
  })

  test('as UTF-8 in its type, though it is another one, which it says itself or shows', () => {
    const type = 'text/html; charset=utf-8'
    expect(decodeText(joined(meta('gb2312'), bytesIn('gbk').subarray(0, 8)), type)).toEndWith('中国人民')
    expect(decodeText(bytesIn('shift_jis'), type)).toBe(textIn('shift_jis'))
    expect(decodeText(latin('Año'), type)).toBe('Año')
  })

  test.each(['utf-16', 'UTF-16LE', 'utf16', 'unicode'])('as %s, in a word that is read', (label) => {
    expect(decodeText(joined(meta(label), utf8('Año')), 'text/html')).toEndWith('Año')
    expect(decodeText(utf8('<p>Año'), `text/html; charset=${label}`)).toBe('<p>Año')
  })

  test('as UTF-16 in its type alone, and it is', async () => {
    const body = new Uint8Array(Buffer.from('<title>Año</title><p>Bees are insects that hum.', 'utf16le'))
    const read = { body, url: 'https://a.example/', mainContentOnly: true }
    expect(await extract({ ...read, contentType: 'text/html; charset=utf-16le' })).toMatchObject({ title: 'Año' })
    await expect(extract({ ...read, contentType: 'text/html' })).rejects.toMatchObject({ code: 'unsupported-type' })
  })
})

test('a hostile body takes no long time', () => {
  const body = joined(latin('<meta '.repeat(100_000)), new Uint8Array(1_400_000).fill(0xe5))
  expect(decodeText(body, 'text/html').length).toBeGreaterThan(1000)
})
