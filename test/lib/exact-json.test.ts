import { describe, expect, test } from 'vitest'
import { parseExact, rawMember } from '../../server/lib/json.ts'

test.each([
  '{}',
  '[]',
  '"text"',
  '1.10',
  '-0',
  '-123456789012345',
  '999999999999999',
  '9007199254740993',
  '{"a-0":[0,-1,-0.0,1E-7]}',
  '1E5',
  '1e+400',
  '12345678901234567890',
  '0.1000000000000000055511151231257827',
  '{"a":[1.0,{"b":2.50}],"c":"1.10","d":null,"e":true}',
  '{"__proto__":{"x":1.0},"constructor":2.0}',
  '{"🙏":"شكرا"}',
])('%s keeps every digit', (text) => {
  expect(JSON.stringify(parseExact(text))).toBe(text)
})

test('what is not JSON is refused', () => {
  for (const text of ['', '{', '01', "{'a':1}", '1.']) expect(() => parseExact(text)).toThrow(SyntaxError)
})

describe('the text of a member', () => {
  test.each([
    ['plain', '{"a":1.0,"b":2}', '1.0'],
    ['last', '{"b":2,"a":{"c":[1.0]}}', '{"c":[1.0]}'],
    ['with blanks', ' {\n "a" :\t [1 , 2 ] \r\n} ', '[1 , 2 ]'],
    ['twice: the last one', '{"a":1,"a":2.0}', '2.0'],
    ['under an escaped name', '{"\\u0061":3.0}', '3.0'],
    ['after text with brackets and quotes', '{"b":"}]\\"{[","a":true}', 'true'],
    ['after a text that ends in a backslash', '{"b":"\\\\","a":"x\\\\"}', '"x\\\\"'],
    ['not that of a member below', '{"b":{"a":1},"c":["a"],"d":"a"}', undefined],
    ['missing', '{}', undefined],
    ['null', '{"a":null}', 'null'],
  ])('%s', (_why, json, expected) => {
    expect(rawMember(json, 'a')).toBe(expected)
  })
})
