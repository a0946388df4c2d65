import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { documentOf } from '../../src/extract/document.ts'
import { type Element, Text } from '../../src/extract/tree/nodes.ts'

const bodyOf = (html: string) => documentOf(`<html><head></head><body>${html}</body></html>`).body
const firstIn = (html: string): Element => {
  const element = bodyOf(html).firstElementChild
  if (!element) throw new Error('There is no element.')
  return element
}

describe('the tree of a page', () => {
  test('has one text where entities, comments and CDATA stand among words', () => {
    const [text, ...others] = firstIn(
      '<p>Fish &amp; chips&nbsp;&#8212; <!-- a note --><![CDATA[no & more]]>&hellip;</p>',
    ).childNodes
    expect(others).toEqual([])
    expect(text?.textContent).toBe('Fish & chips\u00a0— no & more]]>…')
  })

  test('has names in lower case, and of an attribute that stands twice the first', () => {
    const element = firstIn('<A HREF="/a" href="/b" __proto__="c" constructor CLASS=" one\n two ">x</A>')
    expect([element.localName, element.nodeName]).toEqual(['a', 'A'])
    expect(element.attributes).toEqual([
      { name: 'href', value: '/a' },
      { name: '__proto__', value: 'c' },
      { name: 'constructor', value: '' },
      { name: 'class', value: 'one two' },
    ])
    expect([element.getAttribute('toString'), element.hasAttribute('constructor')]).toEqual([null, true])
  })

  test.each([
    ['a<div>late</div>', '<html><head></head><body>a</body></html><div>late</div>'],
    ['<p>early</p>a', '<p>early</p><html><head></head><body>a</body></html>'],
    ['ab', '<html><body>a</body><body>b</body></html>'],
    ['<p>a</p>', '<title>T</title><p>a</p>'],
    ['', ''],
  ])('has %p in its body, wherever that stands', (expected, html) => {
    expect(documentOf(html).body.innerHTML).toBe(expected)
  })

  test('keeps what its root and its body say of themselves', () => {
    const { documentElement, body } = documentOf('<script></script><html lang="de"><p>a</p><body class="home">b')
    expect([documentElement.getAttribute('lang'), body.getAttribute('class')]).toEqual(['de', 'home'])
  })

  test('is written as it was read', () => {
    const html = '<p title="a &quot;b&quot; <c>">1 &lt; 2 &amp; 3&#160;4<br><img src="/a.png"></p><ul><li></li></ul>'
    expect(bodyOf(html).innerHTML).toBe(html)
  })
})

describe('an element', () => {
  const list = () => firstIn('<ol><li>1</li> <li>2</li><li>3</li></ol>')

  test('takes nodes and words at each of its places, and gives up those that go elsewhere', () => {
    const element = list()
    const [one, gap, two, three] = element.childNodes
    if (!one || !gap || !two || !three) throw new Error('The list is not what it was.')
    three.before('x', one)
    expect(element.innerHTML).toBe(' <li>2</li>x<li>1</li><li>3</li>')
    two.after(three, gap)
    expect(element.innerHTML).toBe('<li>2</li><li>3</li> x<li>1</li>')
    element.prepend(one, 'y')
    expect(element.innerHTML).toBe('<li>1</li>y<li>2</li><li>3</li> x')
    one.replaceWith('z', one, gap)
    expect(element.innerHTML).toBe('z<li>1</li> y<li>2</li><li>3</li>x')
    two.replaceWith(...two.childNodes)
    expect(element.innerHTML).toBe('z<li>1</li> y2<li>3</li>x')
    element.replaceChildren(three)
    expect(element.innerHTML).toBe('<li>3</li>')
    expect([one.parentElement, one.nextSibling, one.previousSibling, two.firstChild]).toEqual([null, null, null, null])
    three.remove()
    expect([element.firstChild, element.lastChild, element.innerHTML]).toEqual([null, null, ''])
  })

  test('stays where it is beside itself, and never stands in itself', () => {
    const element = list()
    const [one, , two] = element.childNodes
    one?.before(one)
    one?.after(one)
    two?.replaceWith(two)
    expect(element.innerHTML).toBe('<li>1</li> <li>2</li><li>3</li>')
    expect(() => element.append(element)).toThrow('cannot stand in itself')
    expect(() => element.firstElementChild?.append(element)).toThrow('cannot stand in itself')
    expect(element.innerHTML).toBe('<li>1</li> <li>2</li><li>3</li>')
  })

  test('knows its neighbours in both directions', () => {
    const element = list()
    const [one, two, three] = element.children
    expect([one?.nextElementSibling, three?.previousElementSibling]).toEqual([two, two])
    expect([one?.previousElementSibling, three?.nextElementSibling]).toEqual([null, null])
    expect(element.lastChild?.previousSibling?.previousSibling?.textContent).toBe(' ')
  })

  test('has copies of its own', () => {
    const element = firstIn('<p class="a">b <i>c</i></p>')
    const [deep, flat] = [element.cloneNode(true), element.cloneNode()]
    deep.setAttribute('class', 'd')
    deep.append(new Text('e'))
    expect([deep.innerHTML, flat.innerHTML, element.innerHTML]).toEqual(['b <i>c</i>e', '', 'b <i>c</i>'])
    expect([flat.getAttribute('class'), element.getAttribute('class')]).toEqual(['a', 'a'])
    element.removeAttribute('class')
    expect([element.hasAttribute('class'), flat.hasAttribute('class')]).toEqual([false, true])
  })
})

describe('a selector', () => {
  const html = `<div id="1" class="a b-c"><p id="2" class="ab"><b id="3"></b></p><ul id="4"><li id="5"><b id="6" class="b a"></b></li></ul></div>
    <div id="7" hidden title="S:9" data-x=""><input id="8" type="PassWord"><b id="9"></b></div>`
  test.each([
    ['b', '3 6 9'],
    ['p, li, .none', '2 5'],
    ['*', '1 2 3 4 5 6 7 8 9'],
    ['.a', '1 6'],
    ['b.a.b', '6'],
    ['.b-c', '1'],
    ['[hidden]', '7'],
    ['div[hidden][title^="S:"]', '7'],
    ['[data-x=""]', '7'],
    ['[title="s:9"]', ''],
    ['input[type="password" i]', '8'],
    ['[type*="WORD" i]', '8'],
    ['[class~="b"]', '6'],
    ['div b', '3 6 9'],
    ['div > b', '9'],
    ['ul > li b', '6'],
    ['div ul > li > b, p', '2 6'],
    ['.a .a', '6'],
    ['p > p', ''],
    ['p + ul', '4'],
    ['p + ul b, ul + p', '6'],
    ['p + li', ''],
  ])('finds with %p %p', (selector, expected) => {
    const body = bodyOf(html)
    const found = body.querySelectorAll(selector)
    expect(found.map((element) => element.getAttribute('id')).join(' ')).toBe(expected)
    expect(body.querySelector(selector)).toBe(found[0] ?? null)
    expect(found.every((element) => element.matches(selector) && element.closest(selector) === element)).toBe(true)
  })

  test('asks no other element than those in one', () => {
    const { body } = documentOf('<html><body><p><i></i></p></body></html>')
    const paragraph = body.querySelector('body > p')
    expect(paragraph?.querySelectorAll('p')).toEqual([])
    expect(paragraph?.querySelector('i')?.closest('p, body')).toBe(paragraph)
    const document = documentOf('<html id="a"><p id="b">')
    expect(document.querySelectorAll('html')).toHaveLength(1)
    expect([document.getElementById('b')?.localName, document.getElementById('c')]).toEqual(['p', null])
  })

  test('can be read wherever the reader has one', () => {
    const root = new URL('../../src/extract/', import.meta.url).pathname
    const { body } = documentOf('')
    const found = [...new Bun.Glob('**/*.ts').scanSync(root)].flatMap((file) => {
      const code = readFileSync(root + file, 'utf8')
      return [...code.matchAll(/(?:querySelector(?:All)?|closest|matches)\(\s*(?:'([^']*)'|(\w+)\))/g)].flatMap(
        ([, literal, name]) => literal ?? new RegExp(`const ${name} =\\s+'([^']*)'`).exec(code)?.[1] ?? [],
      )
    })
    expect(found.length).toBeGreaterThan(60)
    for (const selector of found) body.querySelectorAll(selector)
  })

  test.each(['a:hover', 'a ~ b', '[a=b]', 'a >', '#a'])('that is not ours, %p, is a mistake', (selector) => {
    expect(() => bodyOf('<p></p>').querySelectorAll(selector)).toThrow('cannot be read')
  })
})

// Nothing here takes the square of what a page has; what does would take minutes.
describe('a tree of any size', () => {
  test('is read, searched, changed and written', () => {
    const body = bodyOf(`${'<i>a</i>&amp;'.repeat(99_000)}`)
    for (const element of body.querySelectorAll('i')) element.replaceWith(...element.childNodes)
    expect(body.querySelectorAll('*')).toEqual([])
    expect([body.textContent.length, body.innerHTML.length]).toEqual([198_000, 594_000])
  })

  test('has attributes and entities without end', () => {
    const many = Array.from({ length: 100_000 }, (_, at) => `a${at}="${at}"`).join(' ')
    const element = firstIn(`<p ${many}>${'&lt;'.repeat(200_000)}${'<!-- -->a'.repeat(100_000)}</p>`)
    expect(element.attributes.length).toBeLessThanOrEqual(100)
    expect(element.textContent).toHaveLength(300_000)
  })

  test('is refused where it is too deep or too wide', () => {
    expect(() => bodyOf('<b>'.repeat(10_000))).toThrow('too deeply')
    expect(() => bodyOf('<b>'.repeat(600_000))).toThrow('too deeply')
    expect(() => bodyOf('<p>'.repeat(600_000))).toThrow('too many')
  })
})
